/** The thread that runs the proxies through which commands in the sandbox reach the hosts that are allowed to them. */
import { parentPort, workerData } from 'node:worker_threads'
import { randomHex } from '../../platform/system/random-names.ts'
import { createSandboxProxies, type FromThread, type ThreadData, type ToThread } from './sandbox-proxy.ts'

const { folder } = workerData as ThreadData
const proxies = createSandboxProxies(folder, () => randomHex(24))
const say = (message: FromThread) => parentPort?.postMessage(message)

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'refused')
    say({ kind: 'refused', call: message.call, hosts: proxies.refused(message.id) })
  else void open(message)
})

async function open({ call, hosts }: ToThread & { kind: 'open' }): Promise<void> {
  try {
    say({ kind: 'opened', call, ...(await proxies.for(hosts)) })
  } catch (thrown) {
    say({ kind: 'failed', call, message: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}
