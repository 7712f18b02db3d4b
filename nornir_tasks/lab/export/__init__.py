"""A site as a topology for labs that run the vendors' own images: containerlab, NVIDIA Air."""
