"""Chunkscope: the router and the frame that every page stands in. Run it with ``streamlit run app.py``."""

import streamlit as st

from pages.shared import frame

st.set_page_config(page_title="Chunkscope", page_icon=frame.ICON, layout="wide")
navigation = st.navigation([st.Page("pages/inspect.py", title="Inspect", icon=":material/query_stats:", default=True)])
frame.resume()
navigation.run()
