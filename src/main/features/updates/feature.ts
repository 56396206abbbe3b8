/**
 * Newer versions, for the window: a check at the user's wish, and by itself after the start and once a day while the
 * settings name an address. The command line's functions do the work; they are loaded with the first check.
 */
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { UpdateFound, UpdateState } from '../../../shared/updates/contract.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { ReleaseSource, UpdateRoot } from './update.ts'

export interface Updates {
  readonly state: () => UpdateState
  check(): Promise<UpdateState>
  /** Hides the notice until the next daily check. */
  later(): UpdateState
  /**
   * As `installUpdate`, and fails with `busy` while it installs already.
   *
   * @param confirm called when the package is here and its signature is right
   */
  install(confirm: (version: string) => Promise<boolean>): Promise<Result<'installed' | 'canceled'>>
  /** Fails with `settings`, which says what is wrong. */
  checkSource(source: ReleaseSource): Promise<Result<void>>
  watch(listener: (state: UpdateState) => void): void
  /** Checks by itself, until `close`. */
  follow(): Promise<void>
  close(): void
}

/** ms after the start, when the window is at rest. */
const AFTER_START = 20_000
const DAY = 86_400_000

interface UpdatesOptions
  extends Pick<UpdateRoot, 'dataFolder' | 'programFolder' | 'version' | 'environment'> {
  readonly settings: { readonly current: Pick<Settings, 'updateUrl' | 'updateKey'> }
  readonly clock: Clock
  /** As `UpdateRoot.isRoot`. */
  readonly isRoot?: boolean
}

export function composeUpdates(options: UpdatesOptions): Updates {
  const { settings, clock, isRoot = process.getuid?.() === 0 } = options
  const { dataFolder, programFolder, version, environment } = options
  const ending = new AbortController()
  const listeners = new Set<(state: UpdateState) => void>()
  let state: UpdateState = { found: null, checkedAt: null, work: null, isLater: false }
  let checking: Promise<UpdateState> | null = null

  const put = (patch: Partial<UpdateState>): UpdateState => {
    state = { ...state, ...patch }
    for (const listener of listeners) listener(state)
    return state
  }
  const rootNow = (): UpdateRoot => ({
    ...{ dataFolder, programFolder, version, environment, isRoot, elevate: 'pkexec' as const },
    source: { url: settings.current.updateUrl, key: settings.current.updateKey },
  })
  const look = async (): Promise<UpdateFound> => {
    const { findUpdate } = await import('./update.ts')
    const found = await findUpdate(rootNow())
    if (!found.ok) return { kind: 'failed', message: found.failure.message }
    const { version: newest, isNewer, notes, way } = found.value
    return isNewer ? { kind: 'newer', version: newest, notes, way } : { kind: 'newest' }
  }
  const isInstalling = () => state.work === 'fetching' || state.work === 'installing'
  const isInstalled = () => state.found?.kind === 'installed'

  const updates: Updates = {
    state: () => state,
    async check() {
      if (isInstalling() || isInstalled()) return put({ isLater: false })
      checking ??= (async () => {
        put({ work: 'checking', isLater: false })
        try {
          return put({ found: await look(), checkedAt: clock.now() })
        } finally {
          checking = null
          put({ work: null })
        }
      })()
      await checking
      return state
    },
    later: () => put({ isLater: true }),
    async install(confirm) {
      if (isInstalling())
        return fail({ type: 'busy', message: 'The newer version is being installed already.' })
      put({ work: 'fetching' })
      try {
        const { installUpdate, runWith } = await import('./update.ts')
        const root = rootNow()
        let fetched = ''
        const installed = await installUpdate(root, {
          async confirm(newer) {
            fetched = newer
            const isWanted = await confirm(newer)
            if (isWanted) put({ work: 'installing' })
            return isWanted
          },
          run: runWith('window', root),
        })
        if (installed.ok && installed.value === 'installed')
          put({ found: { kind: 'installed', version: fetched } })
        return installed
      } finally {
        put({ work: null })
      }
    },
    checkSource: async (source) => (await import('./update.ts')).checkSource(source),
    watch: (listener) => void listeners.add(listener),
    async follow() {
      for (let wait = AFTER_START; !ending.signal.aborted; wait = DAY) {
        await clock.sleep(wait, ending.signal)
        const { updateUrl, updateKey } = settings.current
        if (!ending.signal.aborted && updateUrl !== '' && updateKey !== '') await updates.check()
      }
    },
    close: () => ending.abort(),
  }
  return updates
}

/** Answers the window; what asks the user or restarts the program answers the desktop. */
export function updateHandlers({
  check,
  later,
}: Updates): Pick<HandlersOf<'update'>, 'update.check' | 'update.later'> {
  return {
    'update.check': async () => ok(await check()),
    'update.later': async () => ok(later()),
  }
}
