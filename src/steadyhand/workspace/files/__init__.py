"""The user's files: paths, handles, what may be touched, and one new version at a time."""
