# The image of everything that runs the product: web, workers, beat and one-off commands.
FROM python:3.13-slim-bookworm AS packages

WORKDIR /build
COPY constraints.txt pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY docs docs
COPY budgets budgets
COPY triage triage
# The code changes oftener than its dependencies: what was downloaded stays in the builder's cache.
RUN --mount=type=cache,target=/root/.cache/pip python -m venv /opt/venv \
    && /opt/venv/bin/pip install --disable-pip-version-check -c constraints.txt '.[s3,sentry]' \
    && /opt/venv/bin/pip uninstall --yes --quiet pip

FROM python:3.13-slim-bookworm

ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=triage.settings \
    TIEBREAK_DATA_DIR=/var/lib/tiebreak

# A fixed number, so that files in a volume keep their owner over images and hosts.
RUN groupadd --system --gid 10001 tiebreak \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin tiebreak \
    && install --directory --owner=10001 --group=10001 --mode=0750 /var/lib/tiebreak

# The code belongs to root: the user of the container cannot change it.
COPY --from=packages /opt/venv /opt/venv
WORKDIR /var/lib/tiebreak

USER 10001:10001
VOLUME /var/lib/tiebreak
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["tiebreak", "serve", "--host", "0.0.0.0", "--port", "8000"]
