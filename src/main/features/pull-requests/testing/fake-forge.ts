/** Puts a program on PATH that stands for `gh` or `glab`, and tells what it was asked. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface FakeForgeState {
  readonly host: string
  /** `owner/name`. */
  readonly path: string
  readonly loggedIn: boolean
  readonly offline: boolean
  /** As the forge's own API has them: GraphQL nodes of GitHub, merge requests of GitLab. */
  readonly pulls: Record<string, unknown>[]
  /** The commit of a pull request that is made. */
  readonly head: string
  /** Further fields of a pull request that is made. */
  readonly newPull: Readonly<Record<string, unknown>>
  readonly logs: Readonly<Record<string, string>>
  readonly jobs: readonly object[]
  readonly discussions: readonly object[]
}

export interface FakeForge {
  /** The folder for PATH. */
  readonly folder: string
  change(change: Partial<FakeForgeState>): void
  state(): FakeForgeState
  calls(): readonly { readonly args: readonly string[]; readonly input: string; readonly cwd: string }[]
}

const NOTHING: FakeForgeState = {
  ...{
    host: 'github.com',
    path: 'acme/shop',
    loggedIn: true,
    offline: false,
    pulls: [],
    head: '0'.repeat(40),
  },
  ...{ newPull: {}, logs: {}, jobs: [], discussions: [] },
}

/** @param folder a new one */
export function installFakeForge(
  folder: string,
  program: 'gh' | 'glab',
  given: Partial<FakeForgeState> = {},
): FakeForge {
  mkdirSync(folder, { recursive: true })
  const stateFile = join(folder, 'state.json')
  const state = () => JSON.parse(readFileSync(stateFile, 'utf8')) as FakeForgeState
  writeFileSync(stateFile, JSON.stringify({ ...NOTHING, ...given }))
  writeFileSync(join(folder, 'calls.jsonl'), '')
  const script = join(import.meta.dirname, 'child-program.ts')
  const command = [process.execPath, script, folder, program].map((word) => `'${word}'`).join(' ')
  writeFileSync(join(folder, program), `#!/bin/sh\nexec env -u NODE_OPTIONS ${command} "$@"\n`, {
    mode: 0o755,
  })
  return {
    folder,
    state,
    change: (change) => writeFileSync(stateFile, JSON.stringify({ ...state(), ...change })),
    calls: () =>
      readFileSync(join(folder, 'calls.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
}
