"""Tool kits for agent frameworks, each in the framework's own form; one independent module per framework.

A framework is imported when its adapter is asked for tools, never before. Every adapter has `tools(kit)`; a mistake of
the model reaches the model as that framework shows errors, and `watch` receives every call in full.
"""
