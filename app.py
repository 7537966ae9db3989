"""Chunkscope: the router and the frame of every page. Run it with ``streamlit run app.py``.

Streamlit's server imports this file for :data:`app`, and then runs it as a script for every session.
"""

import streamlit as st

from pages.shared import identity
from pages.shared.components import plotly_js


def main() -> None:
    """Set up the frame and run the requested page."""
    plotly_js.plotly_path()  # which the server provides from then on
    from pages.shared.frame import frame, login

    st.set_page_config(page_title="Chunkscope", page_icon=frame.ICON, layout="wide")
    inspect = st.Page("pages/inspect.py", title="Inspect", icon=":material/query_stats:", default=True)
    compare = st.Page("pages/compare.py", title="Compare", icon=":material/view_column:")
    tune = st.Page("pages/tune.py", title="Tune", icon=":material/tune:")
    evaluate = st.Page("pages/evaluate.py", title="Evaluate", icon=":material/insights:")
    review = st.Page("pages/review.py", title="Review", icon=":material/rate_review:")
    collection = st.Page("pages/collection.py", title="Collection", icon=":material/library_books:")
    library = st.Page("pages/library.py", title="Library", icon=":material/folder_open:")
    learn = st.Page("pages/learn.py", title="Learn", icon=":material/school:")
    pages = [inspect, compare, tune, evaluate, review, collection, library, learn]
    navigation = st.navigation(pages, position="top" if login.is_reader() else "hidden")
    frame.resume()
    login.require_reader(navigation.url_path)
    frame.brand()
    login.show_name()
    navigation.run()
    frame.watch_history()
    frame.define_terms()


if __name__ == "__main__":
    from pages.shared.server import metrics

    with metrics.measured():
        main()
else:
    from pages.shared.components.base import modules
    from pages.shared.documents import warm_up
    from pages.shared.frame import first_html, headers, login_guard
    from pages.shared.library import downloads
    from pages.shared.server import connections, logs, metrics, part_reports, workers

    logs.configure()
    identity.check_at_start()
    workers.check_at_start()
    part_reports.settle()
    app = st.App(
        __file__,
        routes=(*metrics.routes(), *downloads.routes(), *modules.routes()),
        middleware=(
            *connections.MIDDLEWARE,
            *headers.MIDDLEWARE,
            *first_html.MIDDLEWARE,
            *login_guard.MIDDLEWARE,
            *metrics.MIDDLEWARE,
        ),
        lifespan=warm_up.lifespan,
        on_script_error=metrics.count_internal,
    )
