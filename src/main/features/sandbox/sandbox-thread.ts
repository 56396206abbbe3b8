/** The thread with the proxies through which commands in the sandbox reach hosts, as functions. Started when needed. */
import { Worker } from 'node:worker_threads'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { FromThread, Hosts, ProxyPlace, ThreadData, ToThread } from './sandbox-proxy.ts'

/** A proxy for one list of hosts. */
interface OpenProxy {
  readonly at: ProxyPlace
  /** The variables that make programs use it. @param id of the command, from 1 */
  environment(id: number): readonly (readonly [name: string, value: string])[]
}

export interface SandboxProxies {
  /** Fails with `sandbox`. */
  open(hosts: Hosts): Promise<Result<OpenProxy>>
  /** The hosts that a command did not reach. Forgets them. */
  refused(id: number): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * @param script see `sandboxScript`
 * @param folder for the sockets; null: the proxies listen at ports of this machine
 */
export function startProxyThread(script: string, folder: string | null): SandboxProxies {
  let thread: Worker | null = null
  const waiting = new Map<number, (message: FromThread) => void>()
  let count = 0
  let died: string | null = null

  function start(): Worker {
    const data: ThreadData = { folder }
    const started = new Worker(script, {
      workerData: data,
      // The proxies make sockets of their own where temporary files belong, with names that are unique in a thread only.
      env: { PATH: process.env['PATH'] ?? '', ...(folder !== null && { TMPDIR: folder }) },
      execArgv: [],
      stdout: true,
      stderr: true,
    })
    started.unref()
    started.on('message', (message: FromThread) => take(message))
    started.once('error', ({ message }) => die(message))
    started.once('exit', () => die('its thread ended'))
    return started
  }

  function take(message: FromThread): void {
    const answer = waiting.get(message.call)
    waiting.delete(message.call)
    answer?.(message)
  }

  function die(message: string): void {
    died ??= message
    for (const call of [...waiting.keys()]) take({ kind: 'failed', call, message })
  }

  function ask(message: ToThread): Promise<FromThread> {
    const { call } = message
    if (died !== null) return Promise.resolve({ kind: 'failed', call, message: died })
    thread ??= start()
    const its = thread
    return new Promise((resolve) => {
      waiting.set(call, resolve)
      its.postMessage(message)
    })
  }

  return {
    async open(hosts) {
      const { domains, refusedDomains } = hosts
      const answer = await ask({ kind: 'open', call: ++count, hosts: { domains, refusedDomains } })
      if (answer.kind === 'opened')
        return ok({
          at: answer.at,
          environment: (id) => proxyVariables(answer, id),
        })
      const why = answer.kind === 'failed' ? answer.message : 'no answer'
      return fail({
        type: 'sandbox',
        message: `The command was not run: its proxy to allowed hosts could not start: ${why}`,
      })
    },
    async refused(id) {
      const answer = await ask({ kind: 'refused', call: ++count, id })
      return answer.kind === 'refused' ? answer.hosts : []
    },
    async close() {
      await thread?.terminate()
    },
  }
}

/** Where a command reaches the proxy if that listens at a socket. */
export const SOCKET_PORT = 3128

const sshThrough = (login: string): string =>
  `ssh -o ProxyCommand='socat - PROXY:127.0.0.1:%h:%p,proxyport=${SOCKET_PORT},proxyauth=${login}'`

/** The number of the command stands in the name of the user, so that the proxy can say what it refused. */
function proxyVariables(
  { at, token }: Pick<FromThread & { kind: 'opened' }, 'at' | 'token'>,
  id: number,
): readonly (readonly [string, string])[] {
  const user = `srt.${Buffer.from(String(id)).toString('base64')}`
  const place = `${encodeURIComponent(user)}:${token}@127.0.0.1:${typeof at === 'number' ? at : SOCKET_PORT}`
  const both = (name: string, value: string) => [[name, value] as const, [name.toLowerCase(), value] as const]
  return [
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => both(name, `http://${place}`)),
    ...both('NO_PROXY', 'localhost,127.0.0.1,::1'),
    ['GIT_CONFIG_PARAMETERS', "'http.proxyAuthMethod=basic'"],
    ['NODE_USE_ENV_PROXY', '1'],
    // ssh heeds no proxy variables, and the nc of macOS knows no proxy with a password.
    ...(typeof at === 'number' ? [] : [['GIT_SSH_COMMAND', sshThrough(`${user}:${token}`)] as const]),
  ]
}
