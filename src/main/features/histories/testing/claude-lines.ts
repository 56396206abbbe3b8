/** Lines as Claude Code writes them. */

/** One session: its lines get ids and times, one second apart. */
export function claudeSession(session: string, cwd = '/work/shop') {
  let count = 0
  const line = (type: string, more: object): string => {
    const before = count === 0 ? null : `${session}-${count}`
    count++
    return JSON.stringify({
      ...{
        parentUuid: before,
        isSidechain: false,
        userType: 'external',
        cwd,
        sessionId: session,
        version: '2.1.0',
      },
      ...{ gitBranch: 'main', type, uuid: `${session}-${count}`, timestamp: timeAt(count) },
      ...more,
    })
  }
  const assistant = (id: string, block: object, more: object = {}) =>
    line('assistant', {
      message: {
        ...{
          id,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-5',
          content: [block],
          stop_reason: null,
        },
        usage: USAGE,
      },
      ...more,
    })
  return {
    line,
    user: (text: unknown, more: object = {}) =>
      line('user', { message: { role: 'user', content: text }, ...more }),
    says: (id: string, text: string, more: object = {}) => assistant(id, { type: 'text', text }, more),
    thinks: (id: string, thinking: string) =>
      assistant(id, { type: 'thinking', thinking, signature: 'c2ln' }),
    calls: (id: string, name: string, input: object, more: object = {}) =>
      assistant(`msg-${id}`, { type: 'tool_use', id, name, input }, more),
    result: (id: string, content: unknown, more: object = {}, isError = false) =>
      line('user', {
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
        },
        ...more,
      }),
  }
}

const USAGE = {
  ...{ input_tokens: 4, cache_creation_input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 20 },
}

/** The time of line `count`. */
export const timeAt = (count: number): string =>
  new Date(Date.UTC(2026, 2, 1, 10) + count * 1000).toISOString()

export const textOfLines = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
