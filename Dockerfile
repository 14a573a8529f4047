# The image of everything that runs the product: web, workers, beat and one-off commands.
FROM python:3.13-slim-bookworm AS packages

COPY constraints.txt pyproject.toml README.md LICENSE /build/
WORKDIR /build
# Without the code, which changes oftener than its dependencies, this layer stays in the cache.
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check -c constraints.txt '.[s3,sentry]' \
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

COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv/tiebreak
COPY manage.py CHANGELOG.md LICENSE ./
COPY static static
COPY templates templates
COPY docs docs
COPY budgets budgets
COPY triage triage
# The code belongs to root, and the user of the container cannot write bytecode beside it later.
RUN python -m compileall -q budgets triage

USER 10001:10001
VOLUME /var/lib/tiebreak
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--port", "8000"]
