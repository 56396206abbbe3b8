/**
 * The only thing a page gets from the program: `window.troupe`, made from the contract. Commands go to the
 * main process one by one, deltas come over a port, each batch acknowledged once the page has dealt with it.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { COMMAND_CHANNEL, PORT_CHANNEL } from '../shared/ipc-channels.ts'
import type {
  CommandReply,
  DeltaAck,
  DeltaBatch,
  DeltaRelease,
  TroupeBridge,
  WindowDelta,
} from '../shared/ipc-contract.ts'

type Listener = (deltas: readonly WindowDelta[]) => void

let port: MessagePort | null = null
/** What is to be said over the port before there is one. */
const unsaid: DeltaRelease[] = []
/** A batch that came before anybody listened: it stays unacknowledged, so no other follows. */
let early: DeltaBatch | null = null
const listeners = new Set<Listener>()

ipcRenderer.on(PORT_CHANNEL, (event) => {
  port = event.ports[0] ?? null
  if (port === null) return
  port.onmessage = ({ data }: { readonly data: DeltaBatch }) => deliver(data)
  for (const release of unsaid.splice(0)) say(release)
})

const bridge: TroupeBridge = {
  async command(name, input) {
    const reply: CommandReply = await ipcRenderer.invoke(COMMAND_CHANNEL, name, input)
    // The page has the answer before a delta can come: the way there and back is longer.
    if (reply.hold !== undefined) say({ release: reply.hold })
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
      // One bad delta must not stop all that follow.
      console.error(error)
    }
  }
  say({ ack: batch.batch })
}

function say(message: DeltaAck | DeltaRelease): void {
  if (port) port.postMessage(message)
  else if ('release' in message) unsaid.push(message)
}
