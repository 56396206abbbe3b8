/** External agents for the harness. */
import { Refusal } from '../../src/renderer/testing/fake-handlers.ts'
import type { ProgramId, ProgramState, StoredKeys } from '../../src/shared/external-agents/known-program.ts'
import type { CommandInput, CommandOutput } from '../../src/shared/ipc/ipc-contract.ts'

interface ProgramWorld {
  programs: readonly ProgramState[]
  push(delta: { readonly type: 'programs'; readonly programs: readonly ProgramState[] }): void
}

/** Handlers of the window's commands about programs. Changes are made at once. */
export function programHandlers(world: ProgramWorld) {
  const change = (id: ProgramId, patch: Partial<ProgramState>): readonly ProgramState[] => {
    world.programs = world.programs.map((each) => (each.id === id ? { ...each, ...patch } : each))
    world.push({ type: 'programs', programs: world.programs })
    return world.programs
  }
  const stateOf = (id: ProgramId): ProgramState => {
    const state = world.programs.find((each) => each.id === id)
    if (state === undefined) throw new Refusal(`The harness has no program ${id}.`, 'not-here')
    return state
  }
  let keys: StoredKeys = { names: [], isSafe: true }
  return {
    'programs.list': () => world.programs,
    'programs.offer': ({ id }: CommandInput<'programs.offer'>): CommandOutput<'programs.offer'> => {
      const { package: name, pinned, version, place } = stateOf(id)
      return {
        ...{ id, package: name, version: pinned, former: place === 'own' ? version : null },
        publisher: 'agentclientprotocol',
        bytes: 391 * 1024 * 1024,
        folder: folderOf(id),
        problem: null,
      }
    },
    'programs.install': ({ id, version }: CommandInput<'programs.install'>) =>
      change(id, {
        ...{ place: 'own', version, update: null, isUsed: true, note: null },
        file: `${folderOf(id)}/program`,
      }),
    'programs.cancel': () => undefined,
    'programs.remove': ({ id }: CommandInput<'programs.remove'>) =>
      change(id, { place: 'none', file: null, version: null, update: null, isUsed: false }),
    'programs.check': ({ id }: CommandInput<'programs.check'>): CommandOutput<'programs.check'> => ({
      ...{ id, name: stateOf(id).title, version: stateOf(id).version, ms: 1300 },
      can: { resume: true, images: true, mcp: ['http', 'sse'] },
      login: null,
    }),
    'programs.keys': () => keys,
    'programs.saveKey': ({ name, value }: CommandInput<'programs.saveKey'>) => {
      const others = keys.names.filter((each) => each !== name)
      keys = { ...keys, names: value === null ? others : [...others, name].sort() }
      return keys
    },
    'programs.use': ({ id, used }: CommandInput<'programs.use'>) => change(id, { isUsed: used }),
  }
}

const folderOf = (id: ProgramId): string => `/home/ada/.local/share/troupe/agents/${id}`
