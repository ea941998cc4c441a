"""The experiments of Jiang and Arias-Castro done again, with the paper's figures beside ours: `mindgap reproduce`."""
