"""The pipeline parser of Chang, Do & Roth (2006): a focus point, few reliable actions, and a look ahead."""
