"""The keys of fabric.yml, one file a group; the text below a field is its documentation."""
