"""Pairs of real models: architectures of transformers, timm, torchvision and diffusers, honest variants and faults that ports really have."""
