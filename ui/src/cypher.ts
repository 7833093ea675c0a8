// The Cypher editor: CodeMirror with words of the language, completion from the tables of the graph. Loaded with its page.

import { autocompletion, closeBrackets, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, type StreamParser, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const WORDS = (
  "MATCH OPTIONAL WHERE RETURN WITH UNWIND ORDER BY SKIP LIMIT AS DISTINCT AND OR NOT XOR IN IS NULL STARTS ENDS CONTAINS"
  + " CASE WHEN THEN ELSE END CREATE MERGE SET DELETE DETACH ON UNION ALL CALL YIELD ASC DESC EXISTS COUNT TRUE FALSE EXPLAIN PROFILE"
).split(" ");
const FUNCTIONS = "count collect min max sum avg size labels label type id coalesce lower upper substring range keys length nodes".split(" ");
const KNOWN = new Set(WORDS);

export const parser: StreamParser<{ comment: boolean }> = {
  name: "cypher",
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment || stream.match("/*")) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return "comment";
    }
    if (stream.match("//")) { stream.skipToEnd(); return "comment"; }
    if (stream.match(/^'(?:[^'\\]|\\.)*'?|^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^`[^`]*`?/)) return "variableName";
    if (stream.match(/^\$\w+/)) return "atom";
    if (stream.match(/^\d+(\.\d+)?/)) return "number";
    if (stream.match(/^:\w+/)) return "typeName";
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word) return KNOWN.has(word[0].toUpperCase()) ? "keyword" : stream.peek() === "(" ? "variableName.function" : "variableName";
    stream.next();
    return null;
  },
};

const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--busy)", fontWeight: "600" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.atom], color: "var(--warn)" },
  { tag: tags.typeName, color: "var(--line-3)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);
const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: "14px", borderRadius: "7px" },
  ".cm-scroller": { borderRadius: "7px" },
  ".cm-content": { fontFamily: "ui-monospace, Menlo, monospace", minHeight: "7rem", caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--quiet)", border: "0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-placeholder": { color: "var(--quiet)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--edge)" },
});

interface Options {
  root: ShadowRoot;
  text: string;
  names: () => { labels: string[]; properties: string[] };
  onChange: (text: string) => void;
  onRun: () => void;
}

/** In a shadow root, since there the editor's styles are sheets and not elements, which the page's policy would refuse. */
export function createEditor({ root, text, names, onChange, onRun }: Options): EditorView {
  const complete = (context: CompletionContext) => {
    const word = context.matchBefore(/[:.]?\w*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const { labels, properties } = names();
    if (word.text.startsWith(":")) return { from: word.from + 1, options: labels.map((label) => ({ label, type: "class" })) };
    if (word.text.startsWith(".")) return { from: word.from + 1, options: properties.map((label) => ({ label, type: "property" })) };
    const options = [...WORDS.map((label) => ({ label, type: "keyword" })), ...FUNCTIONS.map((label) => ({ label, type: "function" }))];
    return { from: word.from, options };
  };
  return new EditorView({
    parent: root as unknown as Element,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: "Mod-Enter", run: () => { onRun(); return true; } }]),
        lineNumbers(), history(), bracketMatching(), closeBrackets(), autocompletion({ override: [complete] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]), EditorView.lineWrapping,
        StreamLanguage.define(parser), syntaxHighlighting(highlighting), theme, placeholder("MATCH (a:Article) RETURN a.title LIMIT 10"),
        EditorView.contentAttributes.of({ "aria-label": "Cypher statement" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) onChange(update.state.doc.toString()); }),
      ],
    }),
  });
}
