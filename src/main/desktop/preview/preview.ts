/**
 * The preview of a worktree's server in a window: a view of its own that lies over the place that the window's page keeps
 * free for it. The page inside has no Node, no preload and no permissions; `preview-guards.ts` confines it.
 */
import { type BrowserWindow, type WebContents, WebContentsView } from 'electron'
import type { Environments } from '../../../shared/environments/contract.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import {
  addProblem,
  type NewProblem,
  noProblems,
  type PreviewPlace,
  type PreviewState,
} from '../../../shared/preview/preview.ts'
import type { Folders } from '../folders/folders.ts'
import { CONFINED_PAGE } from '../security/harden.ts'
import { type PreviewSession, type PreviewSessions, previewSession } from './preview-guards.ts'

interface PreviewOptions {
  readonly window: BrowserWindow
  /** Of all windows. */
  readonly sessions: PreviewSessions
  readonly folders: Pick<Folders, 'known'>
  readonly environments: () => Promise<Pick<Environments, 'state'>>
  /** Asks the user first. */
  readonly openLink: (url: string) => Promise<Result<void>>
  readonly push: (state: PreviewState) => void
  /** ms, for durations. */
  readonly elapsed: () => number
}

export interface Preview {
  readonly handlers: HandlersOf<'preview'>
  /** Ends the page. */
  close(): void
}

/** The page that is open. */
interface Open {
  readonly view: WebContentsView
  readonly own: PreviewSession
  state: PreviewState
  place: PreviewPlace | null
  push: ReturnType<typeof setTimeout> | null
}

/** ms from push to push: a page can report thousands of errors a second. */
const PERIOD = 50
/** ms after a press in the page in which it may ask for another address. */
const AFTER_PRESS = 1000

export function createPreview(options: PreviewOptions): Preview {
  const { window } = options
  let open: Open | null = null
  const close = (): void => {
    if (open === null) return
    const { view, own, push } = open
    open = null
    if (push !== null) clearTimeout(push)
    own.follow(null)
    const hadKeys = !view.webContents.isDestroyed() && view.webContents.isFocused()
    if (!window.isDestroyed()) {
      window.contentView.removeChildView(view)
      if (hadKeys) window.webContents.focus()
    }
    if (!view.webContents.isDestroyed()) view.webContents.close()
  }
  const show = (wanted: {
    readonly partition: string
    readonly id: string
    readonly url: URL
    readonly ports: readonly number[]
  }): Open => {
    close()
    const own = previewSession(options.sessions, wanted.partition)
    const view = new WebContentsView({ webPreferences: { ...PREFERENCES, session: own.session } })
    const { origin } = wanted.url
    const shown: Open = {
      ...{ view, own, place: null, push: null },
      state: {
        ...{ id: wanted.id, origin, path: pathOf(wanted.url.href), isLoading: true },
        ...{ canGoBack: false, canGoForward: false, failure: null, problems: noProblems },
      },
    }
    const change = (state: Partial<PreviewState>): void => {
      if (open !== shown) return
      shown.state = { ...shown.state, ...state }
      shown.push ??= setTimeout(() => {
        shown.push = null
        options.push(shown.state)
      }, PERIOD)
    }
    const onProblem = (problem: NewProblem): void =>
      change({ problems: addProblem(shown.state.problems, problem) })
    own.follow({ ports: wanted.ports, onProblem, onElsewhere: questions(view.webContents, options) })
    view.setBackgroundColor('#ffffff')
    open = shown
    followPage(shown, { change, onProblem, window })
    load(shown, wanted.url.href)
    return shown
  }
  // A window's page that loads again has no place for it.
  window.webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) close()
  })
  return {
    close,
    handlers: {
      'preview.open': async ({ folder: given, id, name, path }) => {
        const folder = await options.folders.known(given)
        if (!folder.ok) return folder
        const { worktrees } = await (await options.environments()).state(folder.value)
        const ports = worktrees.find((each) => each.id === id)?.ports ?? []
        const port = ports.find((each) => each.name === name)
        if (port === undefined || window.isDestroyed()) return fail(NO_SERVER)
        const url = addressIn(`http://localhost:${port.port}`, path)
        if (url === null) return fail(BAD_PATH)
        const partition = `${folder.value}:${id}`
        return ok(show({ partition, id, url, ports: ports.map((each) => each.port) }).state)
      },
      'preview.place': async ({ place }) => {
        if (open !== null) put(open, place, window)
        return ok(undefined)
      },
      'preview.go': async ({ path }) => {
        if (open === null) return fail(NO_PREVIEW)
        const url = addressIn(open.state.origin, path)
        if (url === null) return fail(BAD_PATH)
        load(open, url.href)
        return ok(undefined)
      },
      'preview.act': async ({ action }) => {
        if (open === null) return fail(NO_PREVIEW)
        const { webContents } = open.view
        if (action === 'focus') webContents.focus()
        else if (action === 'reload') reload(open)
        else if (action === 'forget') {
          open.state = { ...open.state, problems: noProblems }
          options.push(open.state)
        } else goInHistory(webContents, action)
        return ok(undefined)
      },
      'preview.close': async () => ok(close()),
    },
  }
}

const PREFERENCES = {
  ...CONFINED_PAGE,
  // A dialog of the page would look like one of Troupe, and block it.
  disableDialogs: true,
} as const

const NO_SERVER = {
  type: 'no-server',
  message: 'There is no such server: the worktree or its run command is gone.',
}
const NO_PREVIEW = { type: 'no-preview', message: 'No preview is open. Open it again from the worktree.' }
const BAD_PATH = { type: 'bad-path', message: 'This is not a path of the server. Write one such as /cart.' }

/** Null for a path that leaves the origin. */
function addressIn(origin: string, path: string): URL | null {
  const address = `${origin}${path}`
  return URL.canParse(address) && new URL(address).origin === origin ? new URL(address) : null
}

const pathOf = (address: string): string => {
  const { pathname, search, hash } = new URL(address)
  return `${pathname}${search}${hash}`
}

function load({ view }: Open, url: string): void {
  // What fails is told by `did-fail-load`.
  view.webContents.loadURL(url).catch(() => {})
}

/** A page that never loaded has nothing to reload. */
function reload(shown: Open): void {
  if (shown.state.failure === null) shown.view.webContents.reload()
  else load(shown, `${shown.state.origin}${shown.state.path}`)
}

function goInHistory({ navigationHistory }: WebContents, to: 'back' | 'forward'): void {
  if (to === 'back' && navigationHistory.canGoBack()) navigationHistory.goBack()
  if (to === 'forward' && navigationHistory.canGoForward()) navigationHistory.goForward()
}

/** The window's page counts in its own pixels. A view that is not in the window is not drawn, and its page rests. */
function put(shown: Open, place: PreviewPlace | null, window: BrowserWindow): void {
  shown.place = place
  const { view } = shown
  const isSeen = place !== null && place.width >= 1 && place.height >= 1
  const hadKeys = view.webContents.isFocused()
  if (!isSeen) {
    window.contentView.removeChildView(view)
    if (hadKeys) window.webContents.focus()
    return
  }
  const factor = window.webContents.getZoomFactor()
  const [x, y, width, height] = [place.x, place.y, place.width, place.height].map((each) =>
    Math.round(each * factor),
  )
  view.setBounds({ x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 })
  view.webContents.setZoomFactor(place.zoom * factor)
  if (!window.contentView.children.includes(view)) window.contentView.addChildView(view)
}

interface Following {
  readonly change: (state: Partial<PreviewState>) => void
  readonly onProblem: (problem: NewProblem) => void
  readonly window: BrowserWindow
}

function followPage(shown: Open, { change, onProblem, window }: Following): void {
  const contents = shown.view.webContents
  const history = () => ({
    canGoBack: contents.navigationHistory.canGoBack(),
    canGoForward: contents.navigationHistory.canGoForward(),
  })
  contents.on('did-start-loading', () => change({ isLoading: true }))
  contents.on('did-stop-loading', () => change({ isLoading: false, ...history() }))
  contents.on('did-navigate', (_event, url) => {
    if (shown.place !== null) put(shown, shown.place, window)
    if (url.startsWith('http')) change({ path: pathOf(url), failure: null, ...history() })
  })
  contents.on('did-navigate-in-page', (_event, url, isMainFrame) => {
    if (isMainFrame && url.startsWith('http')) change({ path: pathOf(url), ...history() })
  })
  contents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
    // -3: another load took its place.
    if (!isMainFrame || code === -3) return
    change({ failure: failureOf(description, code), ...(url.startsWith('http') && { path: pathOf(url) }) })
  })
  contents.on('render-process-gone', (_event, { reason }) =>
    change({ failure: `The page crashed (${reason}). Reload it.`, isLoading: false }),
  )
  contents.on('console-message', (...given: readonly unknown[]) => {
    const problem = consoleError(given)
    if (problem !== null) onProblem(problem)
  })
  contents.on('before-input-event', (event, { type, key, alt, control, meta, shift }) => {
    if (type !== 'keyDown' || shift) return
    const mod = control || meta
    if (!alt && !mod && key === 'F6') window.webContents.focus()
    else if (!alt && mod && key.toLowerCase() === 'r') reload(shown)
    else if (alt && !mod && key === 'ArrowLeft') goInHistory(contents, 'back')
    else if (alt && !mod && key === 'ArrowRight') goInHistory(contents, 'forward')
    else return
    event.preventDefault()
  })
  // A page that loads must not take the keys from what the user writes.
  contents.on('focus', () => {
    if (contents.isLoadingMainFrame()) window.webContents.focus()
  })
}

const failureOf = (description: string, code: number): string =>
  description === 'ERR_CONNECTION_REFUSED'
    ? 'The server does not answer yet.'
    : `The page could not be loaded: ${description || `error ${code}`}.`

/** Electron's message of a console, as newer versions (one object) and older ones (arguments) give it; null: no error. */
function consoleError([event, ...rest]: readonly unknown[]): NewProblem | null {
  const details = event as { level?: unknown; message?: unknown; lineNumber?: unknown; sourceId?: unknown }
  const [level, message, line, source] =
    typeof details.level === 'string'
      ? [details.level, details.message, details.lineNumber, details.sourceId]
      : rest
  if (level !== 'error' && level !== 3) return null
  const text = String(message)
  // The failed request is told itself.
  if (text.startsWith('Failed to load resource:')) return null
  return { kind: 'error', text, where: source === '' ? null : `${String(source)}:${String(line)}` }
}

/** Asks about an address outside: only soon after the user pressed something in the page, and one at a time. */
function questions(contents: WebContents, { openLink, elapsed }: PreviewOptions): (url: string) => void {
  let pressedAt = Number.NEGATIVE_INFINITY
  let isAsking = false
  contents.on('input-event', (_event, { type }) => {
    if (type === 'mouseDown' || type === 'keyDown' || type === 'rawKeyDown') pressedAt = elapsed()
  })
  return (url) => {
    if (isAsking || elapsed() - pressedAt > AFTER_PRESS) return
    isAsking = true
    pressedAt = Number.NEGATIVE_INFINITY
    void openLink(url).finally(() => {
      isAsking = false
    })
  }
}
