"""A kit in the form that each agent framework takes its tools; one module per framework, none of which needs another.

A framework is imported when its adapter is asked for tools, never before. Every adapter has `tools(kit)`; a mistake of
the model reaches the model as that framework shows errors, and `watch` receives every call in full.
"""
