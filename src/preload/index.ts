/**
 * The page's only access to the program: `window.troupe`, as the contract defines it. Commands go to the main
 * process one by one. Deltas arrive over a port, and each batch is acknowledged once the page has handled it.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import type { CommandReply, TroupeBridge } from '../shared/ipc/ipc-contract.ts'
import type { DeltaAck, DeltaBatch, DeltaRelease, WindowDelta } from '../shared/ipc/window-delta.ts'
import { COMMAND_CHANNEL, PORT_CHANNEL } from '../shared/ipc/window-delta.ts'

type Listener = (deltas: readonly WindowDelta[]) => void

let port: MessagePort | null = null
/** Messages to send once the port is there. */
const unsent: DeltaRelease[] = []
/** A batch from before the first listener. It stays unacknowledged, so no other batch follows. */
let early: DeltaBatch | null = null
const listeners = new Set<Listener>()

ipcRenderer.on(PORT_CHANNEL, (event) => {
  port = event.ports[0] ?? null
  if (port === null) return
  port.onmessage = ({ data }: { readonly data: DeltaBatch }) => deliver(data)
  for (const release of unsent.splice(0)) post(release)
})

const bridge: TroupeBridge = {
  async command(name, input) {
    const reply: CommandReply = await ipcRenderer.invoke(COMMAND_CHANNEL, name, input)
    // A delta takes longer than this answer, so the page has the answer first.
    if (reply.hold !== undefined) post({ release: reply.hold })
    return reply.answer as never
  },
  onDeltas(listener) {
    listeners.add(listener)
    const batch = early
    early = null
    if (batch) deliver(batch)
    return () => listeners.delete(listener)
  },
  pathOf: (file) => webUtils.getPathForFile(file),
}

contextBridge.exposeInMainWorld('troupe', bridge)

function deliver(batch: DeltaBatch): void {
  if (listeners.size === 0) {
    early = batch
    return
  }
  for (const listener of listeners) {
    try {
      listener(batch.deltas)
    } catch (error) {
      // One bad delta must not stop the others.
      console.error(error)
    }
  }
  post({ ack: batch.batch })
}

function post(message: DeltaAck | DeltaRelease): void {
  if (port) port.postMessage(message)
  else if ('release' in message) unsent.push(message)
}
