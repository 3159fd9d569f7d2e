# `make help` lists what there is. Everything runs inside .venv, which the first target makes.

PYTHON ?= python3
PORT ?= 8000
PROFILE ?= default
GUIDE = .venv/bin/python -m tools

.DEFAULT_GOAL := help
.PHONY: help setup serve test site run bench bench-tools check clean

help: ## list every target
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1 \t\2/' | expand -t 20

setup: .venv/ready ## make .venv and install the pinned packages
.venv/ready: requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) tools/bootstrap.py

serve: .venv/ready ## execute what is stale, build, and serve both languages with live reload (PORT=8000)
	@$(GUIDE) serve --port $(PORT)

run: .venv/ready ## execute the snippets whose result is missing or stale
	@$(GUIDE) run

check: .venv/ready ## check style, data, pairs, results and pages without executing anything
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check -q .
	@$(GUIDE) check

test: .venv/ready check ## everything that CI checks
	@$(GUIDE) site
	@.venv/bin/python -m tools.site.blocks site .cache/blocks
	@.venv/bin/python -m pytest -p tests.blocks_plugin --codeblocks .cache/blocks
	@.venv/bin/python -m tools.browser
	@.venv/bin/python -m pytest tests
	@$(GUIDE) measure --profile smoke

site: .venv/ready ## execute what is stale, measure what this machine lacks, and build site/ strictly
	@$(GUIDE) run
	@$(GUIDE) measure --missing
	@$(GUIDE) site

bench: .venv/ready ## measure all workloads on this machine (PROFILE=default, smoke or full)
	@$(GUIDE) measure --profile $(PROFILE)

bench-tools: .venv/ready ## what isolation and a rebuild cost, as ratios
	@.venv/bin/python -m tools.toolbench

clean: ## remove what was built, keep results and .venv
	@rm -rf site .cache .pytest_cache .ruff_cache
