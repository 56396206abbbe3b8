/** The API that plays a scenario, on this machine's time and random numbers. */
import { machineElapsed, machineNow } from '../../platform/system/machine-time.ts'
import { randomHex } from '../../platform/system/random-names.ts'
import { openScriptedServer, type ScriptedServer, type ScriptedServerOptions } from './scripted-server.ts'

/** Starts the server. Throws if the port is not available. */
export function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  return openScriptedServer({ now: machineNow, elapsed: machineElapsed, randomHex, ...options })
}
