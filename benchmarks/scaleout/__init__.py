"""The scale-out proof: several of every server run with the files of `deploy`, and one of them fails under traffic."""
