"""The gunicorn settings of the product without its metrics."""

from config.web import gunicorn as product

worker_class = product.worker_class
threads = product.threads
keepalive = product.keepalive
backlog = product.backlog
accesslog = product.accesslog
control_socket_disable = product.control_socket_disable
