/** One piece of work with each program at a time: an installation, a removal, a check. It is shown while it lasts. */
import type { ProgramId, ProgramWork } from '../../../../shared/external-agents/known-program.ts'
import { fail, type Result } from '../../../../shared/kernel/result.ts'

interface WorkInProgress {
  readonly signal: AbortSignal
  /** Shows the step in progress. `percent`: how much of a download is there. */
  readonly onLine: (line: string, percent?: number) => void
}

interface Running {
  readonly shown: ProgramWork
  readonly controller: AbortController
  /** Resolves when it has ended. */
  readonly over: Promise<void>
}

export class ProgramWorks {
  private readonly running = new Map<ProgramId, Running>()
  private readonly onChange: () => Promise<void>

  /** @param onChange called when work begins or ends, and at each step */
  constructor(onChange: () => Promise<void>) {
    this.onChange = onChange
  }

  shown(id: ProgramId): ProgramWork | null {
    return this.running.get(id)?.shown ?? null
  }

  /** Fails with `busy` if something else is being done with the program. */
  async during<T>(
    { id, title }: { readonly id: ProgramId; readonly title: string },
    kind: ProgramWork['kind'],
    task: (work: WorkInProgress) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const before = this.shown(id)
    if (before !== null)
      return fail({
        type: 'busy',
        message: `${title} is busy: ${BUSY[before.kind]}. Wait until that is done, or cancel it.`,
      })
    const controller = new AbortController()
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    const onLine = (line: string, percent?: number) => {
      const shown = { kind, line, ...(percent !== undefined && { percent }) }
      this.running.set(id, { shown, controller, over })
      void this.onChange()
    }
    onLine(FIRST_LINES[kind])
    try {
      return await task({ signal: controller.signal, onLine })
    } finally {
      this.running.delete(id)
      end()
      await this.onChange()
    }
  }

  cancel(id: ProgramId): void {
    this.running.get(id)?.controller.abort()
  }

  /** Cancels everything. Resolves when it has ended. */
  async close(): Promise<void> {
    const all = [...this.running.values()]
    for (const { controller } of all) controller.abort()
    await Promise.all(all.map(({ over }) => over))
  }
}

const FIRST_LINES: Readonly<Record<ProgramWork['kind'], string>> = {
  offer: 'Asking the registry',
  install: 'Beginning',
  update: 'Beginning',
  remove: 'Deleting its files',
  check: 'Waiting for its answer',
}

const BUSY: Readonly<Record<ProgramWork['kind'], string>> = {
  offer: 'the registry is asked about it',
  install: 'it is being installed',
  update: 'it is being updated',
  remove: 'it is being removed',
  check: 'it is being checked',
}
