import type { ProgramId, ProgramState } from '../../shared/external-agents/known-program.ts'

/** A known external agent that is not on this computer, unless `more` says so. */
export function programState(id: ProgramId, more: Partial<ProgramState> = {}): ProgramState {
  return {
    ...{ id, title: id, maker: 'Makers', about: 'An agent.', package: `@makers/${id}`, pinned: '2.6.0' },
    ...{ place: 'none', file: null, version: null, isUsed: false, update: null, problem: null, note: null },
    ...{ login: 'Log in once.', lacks: [], work: null },
    ...more,
  }
}
