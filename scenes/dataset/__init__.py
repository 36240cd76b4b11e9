"""A dataset on disk: its layout, records, identity, audit, writer, subsets and card."""
