/** A fake program: answers only what a test provides, and records its calls. */
import { ok } from '../../../shared/kernel/result.ts'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { Review } from '../../runtime/ports/worktrees.ts'
import type { Log } from '../log.ts'
import type { Program, SettingsPort } from '../services.ts'

/** Wraps the given methods. A call to any other method throws. */
function onlyWhatIsGiven<T extends object>(given: Partial<T>): T {
  return new Proxy(given, {
    get: (target, name) => {
      if (name === 'then') return undefined
      if (name in target) return Reflect.get(target, name)
      return () => {
        throw new Error(`not expected: ${String(name)}`)
      }
    },
  }) as T
}

export interface FakeProgram extends Program {
  readonly switched: ModelAccess[]
}

export function fakeProgram(
  given: Partial<Omit<Program, 'runtime' | 'review' | 'providers'>> & {
    readonly runtime?: Partial<Runtime>
    readonly review?: Partial<Review>
    readonly providers?: Partial<Program['providers']>
  } = {},
): FakeProgram {
  const switched: ModelAccess[] = []
  return {
    ...onlyWhatIsGiven<Program>({}),
    switchAccess: async (access) => {
      switched.push(access)
      return ok(undefined)
    },
    ...given,
    runtime: onlyWhatIsGiven<Runtime>({ conversations: async () => [], ...given.runtime }),
    review: onlyWhatIsGiven<Review>({ ...given.review }),
    switched,
  } as FakeProgram
}

export function fakeSettings(start: Partial<Settings> = {}): SettingsPort & { current: Settings } {
  const file = '/home/ada/.config/troupe/settings.json'
  let set: readonly string[] = Object.keys(start)
  const port = {
    current: { ...defaultSettings, ...start },
    files: [file],
    async change(patch: object) {
      set = [...new Set([...set, ...Object.keys(patch)])]
      port.current = { ...port.current, ...patch }
      return ok(port.current)
    },
    async reset(names: readonly string[]) {
      set = set.filter((name) => !names.includes(name))
      const usual = Object.entries(defaultSettings).filter(([name]) => names.includes(name))
      port.current = { ...port.current, ...Object.fromEntries(usual) }
      return ok(port.current)
    },
    origins: async () =>
      Object.fromEntries(set.map((name, index) => [name, { file, line: index + 2, kind: 'own' as const }])),
    trusts: (folder: string) =>
      port.current.trustedFolders.some((trusted) => `${folder}/`.startsWith(`${trusted}/`)),
    watch: () => () => {},
  }
  return port
}

export function fakeLog(): Log & { readonly lines: string[] } {
  const lines: string[] = []
  return {
    lines,
    info: (message) => lines.push(message),
    error: (message, cause) => lines.push(`${message} ${cause instanceof Error ? cause.message : ''}`),
  }
}
