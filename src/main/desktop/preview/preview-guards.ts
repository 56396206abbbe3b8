/**
 * What confines the page of a preview, which is as hostile as whoever wrote it: a session of its own for each worktree, in
 * memory, without permissions and downloads, whose requests reach the worktree's own servers only.
 */
import { type Session, session, type WebContents } from 'electron'
import { mayReach, type NewProblem, visitOf } from '../../../shared/preview/preview.ts'
import { guardPagesOf } from '../security/harden.ts'

interface PreviewRules {
  /** Of the worktree's servers. */
  readonly ports: readonly number[]
  readonly onProblem: (problem: NewProblem) => void
  /** The page wants to go to an `https:` address. */
  readonly onElsewhere: (url: string) => void
}

export interface PreviewSession {
  readonly session: Session
  /** Holds for all pages of the session from now on; null: none may do anything. */
  follow(rules: PreviewRules | null): void
}

/** The sessions by their partition, each with the rules that hold now. They last as long as the program. */
export type PreviewSessions = Map<string, PreviewSession>

const nothing: PreviewRules = { ports: [], onProblem: () => {}, onElsewhere: () => {} }

/** The session of a worktree. @param partition names it; never one that is kept on disk */
export function previewSession(sessions: PreviewSessions, partition: string): PreviewSession {
  const found = sessions.get(partition)
  if (found !== undefined) return found
  // Without "persist:", a session is in memory.
  const own = session.fromPartition(`preview:${partition}`)
  let rules = nothing
  const now = (): PreviewRules => rules
  guardSession(own, now)
  guardPagesOf(own, (contents) => guardPreview(contents, now))
  const made: PreviewSession = {
    session: own,
    follow: (wanted) => {
      rules = wanted ?? nothing
    },
  }
  sessions.set(partition, made)
  return made
}

function guardSession(own: Session, rules: () => PreviewRules): void {
  const refuse = (text: string): void => rules().onProblem({ kind: 'refused', text, where: null })
  own.setPermissionRequestHandler((_contents, permission, answer) => {
    refuse(`The preview gives no permissions: “${permission}” was refused.`)
    answer(false)
  })
  own.setPermissionCheckHandler(() => false)
  own.setDevicePermissionHandler(() => false)
  own.on('will-download', (event, item) => {
    refuse(`The preview saves no files: ${item.getURL().slice(0, 300)} was refused.`)
    event.preventDefault()
  })
  // Names of other hosts are not even looked up.
  void own.setProxy({
    mode: 'fixed_servers',
    proxyRules: 'http://127.0.0.1:9',
    proxyBypassRules: 'localhost',
  })
  own.webRequest.onBeforeRequest(({ url }, answer) => {
    const cancel = !mayReach(url, rules().ports)
    if (cancel)
      refuse(`The preview reaches only the servers of its worktree: ${url.slice(0, 300)} was refused.`)
    answer({ cancel })
  })
  own.webRequest.onCompleted(({ method, url, statusCode }) => {
    if (statusCode >= 400)
      rules().onProblem({ kind: 'request', text: `${method} ${url}: status ${statusCode}`, where: null })
  })
  own.webRequest.onErrorOccurred(({ method, url, error, resourceType }) => {
    // Those that Troupe refused are told already; a page that was left ends its requests itself; the pane tells the rest.
    if (error === 'net::ERR_BLOCKED_BY_CLIENT' || error === 'net::ERR_ABORTED') return
    if (resourceType !== 'mainFrame')
      rules().onProblem({ kind: 'request', text: `${method} ${url}: ${error}`, where: null })
  })
}

function guardPreview(contents: WebContents, rules: () => PreviewRules): void {
  const refuse = (text: string): void => rules().onProblem({ kind: 'refused', text, where: null })
  const go = (event: { preventDefault(): void }, url: string, isMainFrame: boolean): void => {
    const visit = visitOf(url, { ports: rules().ports, isMainFrame })
    if (visit === 'goes') return
    event.preventDefault()
    refuse(`The preview stays with the servers of its worktree: it did not go to ${url.slice(0, 300)}.`)
    if (visit === 'asks') rules().onElsewhere(url)
  }
  contents.on('will-frame-navigate', (event) => go(event, event.url, event.isMainFrame))
  contents.on('will-redirect', (event) => go(event, event.url, event.isMainFrame))
  contents.setWindowOpenHandler(({ url }) => {
    refuse(`The preview opens no windows: ${url.slice(0, 300)} was refused.`)
    if (visitOf(url, { ports: [], isMainFrame: true }) === 'asks') rules().onElsewhere(url)
    return { action: 'deny' }
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // A page that does not want to be left is left.
  contents.on('will-prevent-unload', (event) => event.preventDefault())
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}
