/**
 * CodeMirror puts its styles into a style element, which the page's rules for content forbid. In a page they
 * go into a constructed style sheet instead, as CodeMirror itself does it in a shadow root.
 */
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

type StyleModule = ReturnType<EditorState['facet']> & { getRules(): string }
interface StyleModules {
  mount(root: Document | ShadowRoot, modules: StyleModule | readonly StyleModule[], options?: object): void
}

/** Once, before the first view is made. */
export function adoptStyles(): void {
  if (isAdopting) return
  isAdopting = true
  const [module] = EditorState.create({ extensions: EditorView.theme({}) }).facet(EditorView.styleModule)
  // CodeMirror's class of styles is no dependency of this program: an instance leads to it.
  const modules = module?.constructor as unknown as StyleModules | undefined
  if (modules === undefined) return
  const mountElsewhere = modules.mount.bind(modules)
  const sheet = new CSSStyleSheet()
  const mounted = new Set<StyleModule>()
  modules.mount = (root, given, options) => {
    if (root !== document) return mountElsewhere(root, given, options)
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
