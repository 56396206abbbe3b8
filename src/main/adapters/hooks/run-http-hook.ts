/** Sends a hook's input to an address. */
import type { HookOutput } from './hook-answer.ts'
import { TimedOut } from './run-command-hook.ts'

export interface HttpHook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly input: unknown
  /** ms */
  readonly timeLimitMs: number
  readonly signal: AbortSignal
}

/** Characters. */
const MOST_BODY = 256 * 1024

/** The answer's body counts as a command's output. Rejects for redirects, other statuses, and at the time limit. */
export async function runHttpHook({
  url,
  headers,
  input,
  timeLimitMs,
  signal,
}: HttpHook): Promise<HookOutput> {
  const limit = AbortSignal.timeout(timeLimitMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      // The input would go to an address that nobody approved.
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      throw new Error(`It redirects (HTTP ${response.status}), which is refused.`)
    }
    const body = await readUpTo(response)
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${body.slice(0, 500)}`)
    return { exitCode: 0, stdout: body, stderr: '' }
  } catch (thrown) {
    if (limit.aborted && !signal.aborted) throw new TimedOut(timeLimitMs)
    throw thrown instanceof TypeError ? new Error(`${url} could not be reached.`) : thrown
  }
}

async function readUpTo(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MOST_BODY) throw new Error('Its answer is too long.')
  }
  return text
}
