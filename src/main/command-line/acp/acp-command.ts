/** `troupe acp`: Troupe inside an editor, over the Agent Client Protocol on standard input and output. */
import type { AcpContext } from './acp-context.ts'
import { createAgentApp } from './agent-app.ts'

export interface Connected {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Aborts when the program has to end. */
  readonly interrupted: AbortSignal
}

/** Serves one editor. Resolves when it is gone, or when the program has to end. */
export async function acpCommand(context: AcpContext, connected: Connected): Promise<void> {
  const sdk = await import('@agentclientprotocol/sdk')
  const { app, serve, close } = createAgentApp(sdk, context)
  app.onConnect(({ client }) => serve(client))
  const connection = app.connect(sdk.ndJsonStream(connected.output, connected.input))
  const end = () => connection.close()
  connected.interrupted.addEventListener('abort', end, { once: true })
  if (connected.interrupted.aborted) end()
  await connection.closed.catch(() => undefined)
  connected.interrupted.removeEventListener('abort', end)
  close()
}
