/** The external agents that Troupe knows, and the user's actions on them. */
import { create } from 'zustand'
import type {
  ProgramCheck,
  ProgramId,
  ProgramOffer,
  ProgramState,
  ProgramWork,
} from '../../../shared/external-agents/known-program.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { Failure } from '../../../shared/kernel/result.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice, useOverlay } from '../../stores/overlay-store.ts'

/** What an action on one program brought, until the next action on it. */
type ProgramAnswer =
  | { readonly kind: 'offer'; readonly offer: ProgramOffer }
  | { readonly kind: 'check'; readonly check: ProgramCheck }
  /** The user is asked whether to remove it. */
  | { readonly kind: 'remove' }
  | { readonly kind: 'failure'; readonly message: string }

interface ProgramsStore {
  /** Null until the first answer. */
  readonly programs: readonly ProgramState[] | null
  /** Why the programs can't be listed; null: they can. */
  readonly failure: string | null
  readonly answers: ReadonlyMap<ProgramId, ProgramAnswer>
  /** The programs with an action of the user that has not been answered. */
  readonly asking: ReadonlySet<ProgramId>
  /** Those that said at their last check that they need a login. */
  readonly wantLogin: ReadonlySet<ProgramId>
}

export const usePrograms = create<ProgramsStore>()(() => ({
  programs: null,
  failure: null,
  answers: new Map(),
  asking: new Set(),
  wantLogin: new Set(),
}))

const { getState: get, setState: set } = usePrograms

export function receivePrograms(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'programs')
  if (last?.type === 'programs') set({ programs: last.programs, failure: null })
}

/** Deltas follow. `again`: looks at the disk again. */
export async function loadPrograms(again = false): Promise<void> {
  const answer = await command('programs.list', { again })
  if (!answer.ok) set({ failure: answer.failure.message })
  else if (answer.value !== undefined) set({ programs: answer.value, failure: null })
}

/** Asks what an installation or an update would bring; nothing is installed. */
export function askToInstall(id: ProgramId): Promise<void> {
  return ask(id, async () => {
    const answer = await command('programs.offer', { id })
    return answer.ok ? { kind: 'offer', offer: answer.value } : failed(answer.failure)
  })
}

/** Installs what the user has seen. The program's state has the progress. A notice tells the end if the dialog is closed. */
export function install({ id, version }: ProgramOffer): Promise<void> {
  return ask(id, async () => {
    forget(id)
    const answer = await command('programs.install', { id, version })
    if (!answer.ok && answer.failure.type === 'canceled') return null
    const isSeen = useOverlay.getState().overlay === 'programs'
    const title = get().programs?.find((program) => program.id === id)?.title ?? id
    if (answer.ok) {
      if (!isSeen) showNotice({ level: 'info', text: `${title} ${version} is installed.` })
      return null
    }
    if (!isSeen) showFailure({ message: `${title} was not installed. ${answer.failure.message}` })
    return failed(answer.failure)
  })
}

export async function cancelInstall(id: ProgramId): Promise<void> {
  const answer = await command('programs.cancel', { id })
  if (!answer.ok) put(id, failed(answer.failure))
}

export function askToRemove(id: ProgramId): void {
  put(id, { kind: 'remove' })
}

export function remove(id: ProgramId): Promise<void> {
  return ask(id, async () => {
    const answer = await command('programs.remove', { id })
    return answer.ok ? null : failed(answer.failure)
  })
}

/** Starts the program once and shows what it answers. */
export function check(id: ProgramId): Promise<void> {
  return ask(id, async () => {
    const answer = await command('programs.check', { id })
    if (!answer.ok) return failed(answer.failure)
    const wantLogin = new Set(get().wantLogin)
    if (answer.value.login === null) wantLogin.delete(id)
    else wantLogin.add(id)
    set({ wantLogin })
    return { kind: 'check', check: answer.value }
  })
}

/** Makes a program that was found an agent, or takes it out. */
export function setUsed(id: ProgramId, used: boolean): Promise<void> {
  return ask(id, async () => {
    const answer = await command('programs.use', { id, used })
    if (!answer.ok) return failed(answer.failure)
    set({ programs: answer.value })
    return null
  })
}

/** Drops what the last action brought. */
export function forget(id: ProgramId): void {
  const answers = new Map(get().answers)
  answers.delete(id)
  set({ answers })
}

function put(id: ProgramId, answer: ProgramAnswer): void {
  set({ answers: new Map(get().answers).set(id, answer) })
}

/** One action on a program at a time. */
async function ask(id: ProgramId, act: () => Promise<ProgramAnswer | null>): Promise<void> {
  if (get().asking.has(id)) return
  set({ asking: new Set(get().asking).add(id) })
  try {
    const answer = await act()
    if (answer === null) forget(id)
    else put(id, answer)
  } finally {
    set({ asking: new Set([...get().asking].filter((other) => other !== id)) })
  }
}

const failed = ({ message }: Failure): ProgramAnswer => ({ kind: 'failure', message })

const WORK: Readonly<Record<ProgramWork['kind'], string>> = {
  offer: 'asking npm…',
  install: 'installing…',
  update: 'updating…',
  remove: 'removing…',
  check: 'checking…',
}

/**
 * The state of an external agent in a few words: the same in the side bar, the dialog and the first run.
 * `wantsLogin`: it said so at its last check.
 */
export function programStateText(program: ProgramState, wantsLogin: boolean): string {
  const { work, place, problem, isUsed, update } = program
  if (work !== null)
    return work.percent === undefined ? WORK[work.kind] : WORK[work.kind].replace('…', ` ${work.percent}%`)
  if (place === 'none') return 'not installed'
  if (problem !== null) return 'can’t start'
  if (wantsLogin) return 'needs a login'
  if (!isUsed) return 'not in use'
  return update === null ? 'ready' : 'update available'
}

/** How many programs can be started now. */
export const readyAmount = ({ programs, wantLogin }: Pick<ProgramsStore, 'programs' | 'wantLogin'>): number =>
  programs?.filter((program) =>
    ['ready', 'update available'].includes(programStateText(program, wantLogin.has(program.id))),
  ).length ?? 0
