/** Receives the window's commands on one channel. Each message's sender is checked before anything else. */
import { ipcMain, type WebContents } from 'electron'
import type { CommandReply } from '../../shared/ipc/ipc-contract.ts'
import { COMMAND_CHANNEL } from '../../shared/ipc/window-delta.ts'
import type { DeltaStream } from './deltas/delta-stream.ts'
import { isTrustedSender } from './security/app-origin.ts'
import type { Log } from './services.ts'

interface IpcOptions {
  readonly developmentServer: string | null
  /** The stream of a window's page; null for any other page. */
  readonly streamOf: (contents: WebContents) => DeltaStream | null
  /** Resolves once the program is loaded. Commands may arrive before. */
  readonly dispatch: Promise<(name: unknown, input: unknown, stream: DeltaStream) => Promise<CommandReply>>
  readonly log: Log
}

export function answerCommands({ developmentServer, streamOf, dispatch, log }: IpcOptions): void {
  ipcMain.handle(COMMAND_CHANNEL, async (event, name: unknown, input: unknown): Promise<CommandReply> => {
    const stream = streamOf(event.sender)
    if (stream === null || !isTrustedSender(event.senderFrame, developmentServer)) {
      log.error(`Refused a command from ${event.senderFrame?.url.slice(0, 200) ?? 'a page that is gone'}`)
      return refused
    }
    const run = await dispatch
    return run(name, input, stream)
  })
}

const refused: CommandReply = {
  answer: { ok: false, failure: { type: 'refused', message: 'Only Troupe’s own page may send commands.' } },
}
