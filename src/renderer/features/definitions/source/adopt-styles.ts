/**
 * CodeMirror adds a style element, which the page's content security policy forbids. This puts the styles into
 * a constructed style sheet instead, as CodeMirror does in a shadow root.
 */
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

type StyleModule = ReturnType<EditorState['facet']> & { getRules(): string }
interface StyleModules {
  mount(root: Document | ShadowRoot, modules: StyleModule | readonly StyleModule[], options?: object): void
}

/** Call before creating a view; only the first call has an effect. */
export function adoptStyles(): void {
  if (isAdopting) return
  isAdopting = true
  const [module] = EditorState.create({ extensions: EditorView.theme({}) }).facet(EditorView.styleModule)
  // The style class is not a direct dependency; an instance gives access to it.
  const modules = module?.constructor as unknown as StyleModules | undefined
  if (modules === undefined) return
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

let isAdopting = false
