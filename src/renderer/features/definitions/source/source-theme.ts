/** The editor's theme in the window's design tokens, for light and dark. */
import { markdownLanguage } from '@codemirror/lang-markdown'
import { yamlLanguage } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { agentColors } from '../../../../shared/agent-definition/agent-color.ts'

export function sourceTheme(): Extension {
  return [theme, popups, ...highlighting]
}

const HEADING = 'color-mix(in oklab, var(--agent-purple) 82%, var(--fg-0))'

const highlighting = [
  HighlightStyle.define(
    [
      { tag: tags.definition(tags.propertyName), color: 'var(--accent)' },
      { tag: [tags.content, tags.string, tags.special(tags.string)], color: 'var(--ok)' },
      { tag: [tags.squareBracket, tags.brace, tags.separator, tags.punctuation], color: 'var(--fg-2)' },
      { tag: tags.lineComment, color: 'var(--fg-2)' },
      { tag: [tags.labelName, tags.typeName, tags.keyword], color: HEADING },
    ],
    { scope: yamlLanguage },
  ),
  HighlightStyle.define(
    [
      { tag: tags.heading, color: HEADING, fontWeight: '600' },
      { tag: tags.strong, fontWeight: '600' },
      { tag: tags.emphasis, fontStyle: 'italic' },
      { tag: [tags.link, tags.url], color: 'var(--accent)' },
      { tag: tags.monospace, color: 'var(--fg-1)' },
      { tag: [tags.quote, tags.comment, tags.contentSeparator], color: 'var(--fg-2)' },
    ],
    { scope: markdownLanguage },
  ),
  HighlightStyle.define([{ tag: tags.meta, color: 'var(--fg-2)' }]),
].map((style) => syntaxHighlighting(style))

const SELECTION = 'color-mix(in oklab, var(--accent) 28%, transparent)'

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--fg-0)', backgroundColor: 'var(--bg-0)', fontSize: '0.75rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '1.7', overflow: 'auto' },
  '.cm-content': { padding: '10px 0 40px', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 16px 0 8px' },
  '.cm-gutters, &.cm-focused .cm-gutters': {
    color: 'var(--fg-2)',
    backgroundColor: 'var(--bg-0)',
    border: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '26px', padding: '0 8px 0 2px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--bg-2) 60%, transparent)' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--fg-0)' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--accent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: SELECTION,
  },
  '.cm-content ::selection, .cm-line::selection': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'transparent', outline: '1px solid var(--fg-3)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'var(--bad)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-searchMatch': {
    borderRadius: '2px',
    outline: '1px solid color-mix(in oklab, var(--needs-you) 55%, transparent)',
    backgroundColor: 'color-mix(in oklab, var(--needs-you) 7%, transparent)',
  },
  '.cm-searchMatch.cm-searchMatch-selected': { outline: '2px solid var(--needs-you)' },
  '.cm-lintRange': {
    paddingBottom: '0',
    backgroundImage: 'none',
    textDecoration: 'underline wavy 1px',
    textUnderlineOffset: '3px',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-error': { textDecorationColor: 'var(--bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--needs-you)' },
  '.cm-lintRange-info': { textDecorationColor: 'var(--fg-3)' },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
  '.cm-lintPoint-warning:after': { borderBottomColor: 'var(--needs-you)' },
  '.cm-lintPoint-info:after': { borderBottomColor: 'var(--fg-3)' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { display: 'flex', padding: '0 0 0 5px', alignItems: 'start' },
  '.cm-lint-marker': {
    content: '""',
    width: '7px',
    height: '7px',
    marginTop: 'calc((1.7em - 7px) / 2)',
    borderRadius: '999px',
  },
  '.cm-lint-marker-error': { backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': {
    backgroundColor: 'var(--needs-you)',
    borderRadius: '1px',
    transform: 'rotate(45deg)',
  },
  '.cm-lint-marker-info': { backgroundColor: 'var(--fg-3)' },
})

const popups = EditorView.theme({
  '.cm-tooltip': {
    overflow: 'hidden',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    color: 'var(--fg-0)',
    backgroundColor: 'var(--bg-2)',
    boxShadow: 'var(--shadow-popup)',
    fontFamily: 'var(--font-ui)',
    fontSize: '0.75rem',
    lineHeight: '1.5',
  },
  '.cm-tooltip .cm-tooltip-section:not(:first-child)': { borderTop: '1px solid var(--line)' },
  '.cm-help': { maxWidth: '380px', padding: '6px 10px', color: 'var(--fg-1)' },
  '.cm-help strong': {
    display: 'block',
    color: 'var(--fg-0)',
    fontFamily: 'var(--font-code)',
    fontWeight: '600',
  },
  '.cm-diagnostic': { maxWidth: '420px', marginLeft: '0', padding: '6px 10px', borderLeft: 'none' },
  '.cm-diagnostic-error': { boxShadow: 'inset 2px 0 var(--bad)' },
  '.cm-diagnostic-warning': { boxShadow: 'inset 2px 0 var(--needs-you)' },
  '.cm-diagnostic-info': { boxShadow: 'inset 2px 0 var(--fg-3)' },
  '.cm-diagnosticAction': {
    display: 'inline-block',
    margin: '6px 6px 0 0',
    padding: '1px 8px',
    borderRadius: '5px',
    color: 'var(--fg-0)',
    backgroundColor: 'var(--bg-3)',
    cursor: 'default',
  },
  '.cm-diagnosticText': { display: 'block' },
  '.cm-diagnosticAction:hover': { backgroundColor: 'var(--line-strong)' },
  '.cm-tooltip.cm-tooltip-autocomplete': { overflow: 'visible', padding: '3px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '180px',
    maxHeight: '17em',
    fontFamily: 'var(--font-code)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '2px 8px',
    borderRadius: '5px',
    color: 'var(--fg-1)',
    lineHeight: '1.5',
    cursor: 'default',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--fg-0)', background: 'var(--line)' },
  '.cm-completionMatchedText': { color: 'var(--accent)', textDecoration: 'none' },
  '.cm-completionDetail': { marginLeft: '10px', color: 'var(--fg-2)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': {
    maxWidth: '300px',
    marginInline: '4px',
    padding: '6px 10px',
    color: 'var(--fg-1)',
  },
  '.cm-color-dot': {
    display: 'inline-block',
    width: '8px',
    height: '8px',
    marginRight: '8px',
    borderRadius: '999px',
  },
  ...Object.fromEntries(
    agentColors.map((color) => [`.cm-color-${color}`, { backgroundColor: `var(--agent-${color})` }]),
  ),
  '.cm-panels': { color: 'var(--fg-1)', backgroundColor: 'var(--bg-1)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    padding: '5px 30px 5px 8px',
    fontFamily: 'var(--font-ui)',
    fontSize: '0.75rem',
  },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': {
    margin: '2px 6px 2px 0',
  },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
    height: '24px',
    fontSize: '0.75rem',
    verticalAlign: 'middle',
  },
  '.cm-panel.cm-search input[type=checkbox]': { margin: '0', accentColor: 'var(--accent)' },
  '.cm-textfield': {
    width: '136px',
    height: '24px',
    padding: '0 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    color: 'var(--fg-0)',
    backgroundColor: 'var(--bg-0)',
    fontSize: '0.75rem',
    outline: 'none',
  },
  '.cm-textfield:focus': { borderColor: 'var(--accent)' },
  '.cm-button': {
    height: '24px',
    padding: '0 9px',
    border: 'none',
    borderRadius: '6px',
    color: 'var(--fg-0)',
    backgroundColor: 'var(--bg-3)',
    backgroundImage: 'none',
    fontSize: '0.75rem',
    fontWeight: '500',
    verticalAlign: 'middle',
  },
  '.cm-button:hover, .cm-button:active': { backgroundColor: 'var(--line)', backgroundImage: 'none' },
  '.cm-panel.cm-search [name=close]': {
    top: '5px',
    right: '8px',
    width: '22px',
    height: '22px',
    margin: '0',
    borderRadius: '5px',
    color: 'var(--fg-2)',
    fontSize: '1rem',
    lineHeight: '1',
  },
  '.cm-panel.cm-search [name=close]:hover': { color: 'var(--fg-0)', backgroundColor: 'var(--bg-3)' },
})

/**
 * CodeMirror adds a style element, which the page's content security policy forbids. This puts the styles into
 * a constructed style sheet instead, as CodeMirror does in a shadow root.
 */
type StyleModule = ReturnType<EditorState['facet']> & { getRules(): string }
interface StyleModules {
  mount(root: Document | ShadowRoot, modules: StyleModule | readonly StyleModule[], options?: object): void
}

const adopting = new WeakSet<StyleModules>()

/** Call before creating a view; only the first call has an effect. */
export function adoptStyles(): void {
  const [module] = EditorState.create({ extensions: EditorView.theme({}) }).facet(EditorView.styleModule)
  // The style class is not a direct dependency; an instance gives access to it.
  const modules = module?.constructor as unknown as StyleModules | undefined
  if (modules === undefined || adopting.has(modules)) return
  adopting.add(modules)
  const mountInShadowRoot = modules.mount.bind(modules)
  const sheet = new CSSStyleSheet()
  const mounted = new Set<StyleModule>()
  modules.mount = (root, given, options) => {
    if (root !== document) return mountInShadowRoot(root, given, options)
    const wanted = Array.isArray(given) ? (given as readonly StyleModule[]) : [given as StyleModule]
    if (!document.adoptedStyleSheets.includes(sheet))
      document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets]
    if (wanted.every((style) => mounted.has(style))) return
    const others = [...mounted].filter((style) => !wanted.includes(style))
    mounted.clear()
    for (const style of [...wanted, ...others]) mounted.add(style)
    sheet.replaceSync([...mounted].map((style) => style.getRules()).join('\n'))
  }
}
