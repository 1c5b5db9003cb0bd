def check(out, root): return []
