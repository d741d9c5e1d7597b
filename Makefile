# The interface to everything; `make help` lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash

.PHONY: help screenshots demo up down build release test lint format golden bench bench-ingest bench-flood bench-streams bench-pages bench-maps bench-desk bench-cards bench-resync bench-outage bench-phones bench-push bench-webhooks bench-slow-receivers hooks packages clean \
	app-package test-browser test-compose test-openapi test-shop test-faults compose-images compose-secrets compose-up compose-down

help: ## list these targets
	@sed -nE -e 's/^## (.*)/\n\1/p' -e 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

## Try it

demo: packages ## watch two orders become live cards, from placed to dismissed, in a minute and a half
	@Infra/local/demo

up: packages ## build what it runs, and start the private stack; addresses and tokens are in .doorstep/stack.env
	@Infra/local/build stack
	@Infra/local/stack up .doorstep && echo 'running; now: set -a; . .doorstep/stack.env; set +a; export PATH="$$PWD/.build/debug:$$PATH"; or make down'

down: ## stop what `make up` started, and remove its database and its keys
	@Infra/local/stack down .doorstep

## Build and test

build: packages ## build everything with debug information, in .build-debug
	@swift build --scratch-path .build-debug

release: packages ## build the executables as images and benchmarks have them, in .build/release
	@Infra/local/build release

test: packages ## build and run every test; starts the servers it needs
	@Infra/local/test

screenshots: packages ## draw every page, light and dark, for a phone and a desktop, into docs/screenshots
	@Infra/local/test-browser --screenshots docs/screenshots

test-browser: packages ## run the tests in Chromium; installs it and fetches axe-core where they are missing
	@Infra/local/test-browser

test-compose: packages ## build the images for release, run the system in containers, inject faults, and check that nothing is lost
	@Infra/docker/test

test-openapi: packages ## send generated requests to every operation as each kind of caller, and compare with the documents
	@Infra/local/build stack
	@Infra/fuzz/openapi

test-shop: packages ## run the examples of docs/shops.md, and place an order by a generated Python client
	@Infra/local/build stack
	@Infra/shop/check

SEEDS ?= 1
MINUTES ?= 3
test-faults: packages ## inject faults into stacks under load and check that nothing is lost or wrong; SEEDS="1 2" MINUTES=3 or KILLS=1000
	@Infra/local/build tests
	@.build/debug/FaultInjector --seeds $(SEEDS) $(if $(KILLS),--kills $(KILLS),--minutes $(MINUTES)) $(if $(ONLY),--only $(ONLY))

## Run it in containers

compose-images: ## build the images that docker-compose.yml runs
	@Infra/docker/images

compose-secrets: ## make the secrets that docker-compose.yml reads, as files that git ignores
	@Infra/docker/secrets

compose-up: ## start the system in containers, or print what to fix
	@Infra/docker/up

compose-down: ## stop the containers; the volumes stay
	@Infra/docker/compose down --remove-orphans

## Keep the sources in order

lint: ## check the format of every source, every shell script, the OpenAPI documents and the alerts; warnings are errors in the build
	@swift format lint --strict --recursive Package.swift Packages Plugins Examples Sources Services Tests Benchmarks
	@Infra/local/lint-scripts
	@Infra/lint/openapi
	@Infra/lint/prometheus

format: ## format every source in place
	@swift format --in-place --recursive Package.swift Packages Plugins Examples Sources Services Tests Benchmarks

golden: ## rewrite the golden files; read the diff as a change to a promise
	@UPDATE_GOLDEN=1 Infra/local/test

## Measure

bench: packages ## measure changes a second through the whole path, against one hand-written transaction
	@Benchmarks/run

bench-ingest: packages ## measure couriers' fixes a second, against the same server's empty requests
	@Benchmarks/run ingest

bench-flood: packages ## measure what other customers notice while one store and its phones flood the services
	@Benchmarks/run flood

bench-streams: packages ## measure the memory and the processor time of device streams that wait
	@Benchmarks/run streams

bench-pages: packages ## measure customers' pages: the first one, what 10,000 open ones cost, and how soon they show a change
	@Benchmarks/run pages

bench-maps: packages ## measure customers' maps: what 10,000 open ones cost while their couriers move
	@Benchmarks/run maps

bench-desk: packages ## measure the operators' board: the first page, and how soon 50 open ones show a change among 2,000 deliveries
	@Benchmarks/run desk

bench-cards: packages ## measure what a change costs while 1,000 and while 100,000 cards are live
	@Benchmarks/run cards

bench-resync: packages ## measure a round of the resync with 1,000,000 deliveries live and as many lately ended
	@Benchmarks/run resync

bench-outage: packages ## measure how long the screens take to be right again after the broker was away for three minutes
	@Benchmarks/run outage

bench-phones: packages ## measure how long a change takes until an emulated phone shows it
	@Benchmarks/run phones

bench-webhooks: packages ## measure providers' reports taken a second, events sent to 100 endpoints, and 1,000,000 that wait
	@Benchmarks/run webhooks

bench-slow-receivers: packages ## measure how long a store's webhook takes while 300 endpoints of three other stores answer after 10 s and 100 are dead
	@Benchmarks/run slow-receivers

bench-push: ## measure pushes a second of the client of Apple's push service, beside h2load and async-http-client
	@Infra/local/packages nghttpd h2load openssl
	@Benchmarks/run push

## Set-up and the rest

app-package: ## write the branch app-package, which has Packages/LiveActivity alone, for apps that take it by git URL
	@git subtree split --prefix Packages/LiveActivity --branch app-package

hooks: ## check the format before each commit
	@printf '#!/bin/sh\nexec make lint\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit

packages: ## install the system packages that are missing
	@Infra/local/packages

clean: ## remove everything that was built; the private stack, its database and its keys stay
	@rm -rf .build .build-debug .build-compare Tests/LiveActivityConsumer/.build
