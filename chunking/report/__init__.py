"""Reports: numbers as text, HTML and Markdown by templates, figures as SVG and for Plotly, in one set of colours."""
