"""What JSON documents hold, a module for each group of verbs; `cli/json_documents.py` lists them."""
