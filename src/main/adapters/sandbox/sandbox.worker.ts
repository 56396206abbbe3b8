/**
 * The thread that wraps commands for the sandbox, and runs the proxies through which they reach allowed hosts. The
 * library keeps its state for a whole process and looks around in the current folder, so it has a thread of its own with
 * an empty one.
 */
import { parentPort, workerData } from 'node:worker_threads'
import {
  cleanupBwrapMountPoints,
  wrapCommandWithSandboxLinux,
} from '@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js'
import type { FromThread, ThreadData, ToThread, WrapRequest } from './sandbox-messages.ts'
import { createSandboxProxies } from './sandbox-proxy.ts'

const { bwrap, socat, ripgrep, seccomp, emptyFolder } = workerData as ThreadData
process.cwd = () => emptyFolder

const proxies = createSandboxProxies(emptyFolder)
const say = (message: FromThread) => parentPort?.postMessage(message)

/** The library removes its mount points when no command that it wrapped is left. */
const running = new Set<number>()

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'wrap') void wrap(message.request)
  else end(message.id)
})

async function wrap(request: WrapRequest): Promise<void> {
  const { id, domains } = request
  try {
    const proxy = domains.length === 0 ? null : await proxies.for(request)
    const line = await wrapCommandWithSandboxLinux({
      command: request.line,
      commandId: String(id),
      needsNetworkRestriction: true,
      ...(proxy && {
        httpSocketPath: proxy.socket,
        socksSocketPath: proxy.socket,
        proxyAuthToken: proxy.token,
      }),
      readConfig: { denyOnly: [], literalDenyOnly: [...request.hides] },
      writeConfig: {
        allowOnly: [],
        denyWithinAllow: [],
        literalAllowOnly: [...request.writes],
        literalDenyWithinAllow: [...request.keeps],
      },
      ripgrepConfig: { command: ripgrep },
      mandatoryDenySearchDepth: 1,
      bwrapPath: bwrap,
      socatPath: socat,
      binShell: 'bash',
      ...(seccomp === null ? { allowAllUnixSockets: true } : { seccompConfig: { applyPath: seccomp } }),
    })
    running.add(id)
    say({ kind: 'wrapped', id, line })
  } catch (thrown) {
    say({ kind: 'failed', id, message: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}

function end(id: number): void {
  if (running.delete(id)) cleanupBwrapMountPoints()
  say({ kind: 'ended', id, refusedHosts: proxies.refused(id) })
}
