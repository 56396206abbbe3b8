/** `troupe acp`: Troupe inside an editor, over the Agent Client Protocol on standard input and output. */
import type { AcpContext } from './acp-context.ts'
import { createAgentApp } from './agent-app.ts'
import { LARGEST_MESSAGE, limitMessages } from './message-limit.ts'

export interface Connected {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Aborts when the program has to end. */
  readonly interrupted: AbortSignal
}

/** Serves one editor. Resolves when it is gone, or when the program has to end. */
export async function acpCommand(context: AcpContext, connected: Connected): Promise<void> {
  // This entry knows the parts of the protocol that are not stable; see child-sessions.ts.
  const sdk = await import('@agentclientprotocol/sdk/unstable')
  const { app, serve, close } = createAgentApp(sdk, context)
  app.onConnect(({ client }) => serve(client))
  const limited = limitMessages(() =>
    context.complain('A message of the editor is too large. It was left out.'),
  )
  const connection = app.connect(
    // Longer than what passes, so that the library never ends the connection for it.
    sdk.ndJsonStream(connected.output, connected.input.pipeThrough(limited), {
      maxMessageBytes: LARGEST_MESSAGE + 1,
    }),
  )
  const end = () => connection.close()
  connected.interrupted.addEventListener('abort', end, { once: true })
  if (connected.interrupted.aborted) end()
  await connection.closed.catch(() => undefined)
  connected.interrupted.removeEventListener('abort', end)
  close()
}
