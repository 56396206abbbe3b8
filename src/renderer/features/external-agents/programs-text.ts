/** The state of an external agent in a few words: the same in the side bar, the dialog and the first run. */
import type { ProgramState, ProgramWork } from '../../../shared/external-agents/outside-program.ts'

const WORK: Readonly<Record<ProgramWork['kind'], string>> = {
  offer: 'asking npm…',
  install: 'installing…',
  update: 'updating…',
  remove: 'removing…',
  check: 'checking…',
}

/** `wantsLogin`: it said so at its last check. */
export function programStateText(program: ProgramState, wantsLogin: boolean): string {
  const { work, place, problem, isUsed, update } = program
  if (work !== null) return WORK[work.kind]
  if (place === 'none') return 'not installed'
  if (problem !== null) return 'can’t start'
  if (wantsLogin) return 'needs a login'
  if (!isUsed) return 'not in use'
  return update === null ? 'ready' : 'update available'
}

/** "about 210 MB". */
export function sizeText(bytes: number): string {
  const megabytes = bytes / 1_000_000
  const size = megabytes < 1 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${Math.round(megabytes)} MB`
  return `about ${size}`
}
