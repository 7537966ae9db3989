// The rules for the JavaScript of the components and its tests.

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/.venv/", "docs/", "site/", "build/", "dist/"] },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-shadow": ["error", { allow: ["name"] }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "no-control-regex": "off", // characters without a shape are looked for
    },
  },
  { files: ["chunking/**/*.js", "pages/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["tests/js/**/*.js"], languageOptions: { globals: globals.node } },
  { files: ["tests/browser/**/*.js"], languageOptions: { globals: globals.browser, sourceType: "script" } },
];
