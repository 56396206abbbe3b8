/** Highlights code with the grammar of its language. */
import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type LanguageInput,
} from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { once } from '../../../shared/kernel/once.ts'
import { type CodeToken, type HighlightedLine, type TokenKind, tokenKinds } from './code-tokens.ts'

/** The theme assigns a variable instead of a color to each token; this maps it to an index into `tokenKinds`. */
const KIND_OF_VARIABLE: Readonly<Record<string, TokenKind>> = {
  'token-comment': 'comment',
  'token-string': 'string',
  'token-string-expression': 'string',
  'token-keyword': 'keyword',
  'token-constant': 'constant',
  'token-function': 'function',
  'token-parameter': 'parameter',
  'token-punctuation': 'punctuation',
  'token-link': 'link',
  'token-inserted': 'string',
  'token-deleted': 'constant',
  'token-changed': 'parameter',
}
const THEME = 'variables'
const PREFIX = '--code-'
/** The time limit for one line, in ms. The first line of a language compiles the regular expressions. */
const LINE_LIMIT = 10_000

const highlighter = once(() =>
  createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: PREFIX })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  }),
)

/** The highlighted lines; null without a grammar for the language. Slow: call it in a worker. */
export async function highlightCode(
  code: string,
  language: string,
): Promise<readonly HighlightedLine[] | null> {
  return (await codeHighlighter(language))?.(code).lines ?? null
}

/** Highlights a piece of code. `after`: the state at the end of the previous piece; left out for the first piece. */
export type CodeHighlighter = (
  code: string,
  after?: GrammarState,
) => { readonly lines: readonly HighlightedLine[]; readonly state: GrammarState | undefined }

/** Null without a grammar for the language. */
export async function codeHighlighter(language: string): Promise<CodeHighlighter | null> {
  const ready = await highlighter()
  if (!ready.getLoadedLanguages().includes(language)) {
    const grammar = await loadGrammar(language)
    if (grammar === null) return null
    await ready.loadLanguage(grammar)
  }
  return (code, after) => {
    const lines = ready.codeToTokensBase(code, {
      lang: language,
      theme: THEME,
      tokenizeTimeLimit: LINE_LIMIT,
      ...(after === undefined ? {} : { grammarState: after }),
    })
    return {
      lines: lines.map((line) => merged(line.map((token) => [token.content, kindOf(token.color)]))),
      state: ready.getLastGrammarState(lines),
    }
  }
}

function kindOf(color: string | undefined): number {
  const name = /^var\((.*)\)$/.exec(color ?? '')?.[1]?.slice(PREFIX.length) ?? ''
  return Math.max(0, tokenKinds.indexOf(KIND_OF_VARIABLE[name] ?? 'plain'))
}

/** Merges adjacent runs of one kind, for fewer elements. */
function merged(tokens: readonly CodeToken[]): readonly CodeToken[] {
  const runs: [string, number][] = []
  for (const [text, kind] of tokens) {
    const last = runs[runs.length - 1]
    if (last && last[1] === kind) last[0] += text
    else runs.push([text, kind])
  }
  return runs
}

type Load = () => Promise<unknown>

const GRAMMARS: Readonly<Record<string, Load>> = {
  typescript: () => import('shiki/langs/typescript.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
}

/** Loads a grammar by the name that `language-names.ts` gives it. */
async function loadGrammar(name: string): Promise<LanguageInput | null> {
  const load = GRAMMARS[name]
  if (!load) return null
  return ((await load()) as { default: LanguageInput }).default
}
