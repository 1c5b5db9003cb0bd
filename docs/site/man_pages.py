def finish(folder): pass
