/** Hooks in the form of the scripts that people have. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentCall, type Call, echo, script } from '../../runtime/testing/scripts.ts'
import type { TestOptions, TestRuntime } from '../../runtime/testing/test-runtime.ts'
import { bash, type Ground, ground, of, on, run } from '../../testing/real-hooks.ts'

describe('scripts in the style of those that people have', () => {
  const scripts: readonly [
    name: string,
    hook: (g: Ground) => object,
    calls: readonly Call[],
    check: (troupe: TestRuntime, g: Ground) => void,
  ][] = [
    [
      'a guard in bash with grep',
      (g) =>
        on(
          'PreToolUse',
          'Bash',
          g.put(
            'g.sh',
            '#!/bin/bash\ninput=$(cat)\nif echo "$input" | grep -qE \'rm +-rf\'; then\n  echo "Refused: rm -rf" >&2\n  exit 2\nfi\nexit 0\n',
          ),
        ),
      [bash('rm -rf build'), bash('ls')],
      (troupe) => expect(of(troupe, 'tool-ended')).toMatchObject([{ note: 'denied' }, { isError: false }]),
    ],
    [
      'a guard in python with JSON',
      (g) =>
        on(
          'PreToolUse',
          'Bash',
          `python3 ${g.put('g.py', 'import json, sys\ndata = json.load(sys.stdin)\ncommand = data.get("tool_input", {}).get("command", "")\nif "sudo" in command:\n    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "sudo is not allowed"}}))\nsys.exit(0)\n')}`,
        ),
      [bash('sudo ls')],
      (troupe) => expect(of(troupe, 'tool-ended')[0]?.content).toContain('sudo is not allowed'),
    ],
    [
      'a formatter after Write in bash',
      (g) =>
        on(
          'PostToolUse',
          'Edit|MultiEdit|Write',
          `python3 -c 'import json,sys; print(json.load(sys.stdin)["tool_input"]["file_path"])' >> ${join(g.top, 'formatted')}`,
        ),
      [['Write', { file_path: '/project/a.ts', content: 'a' }]],
      (_troupe, g) => expect(readFileSync(join(g.top, 'formatted'), 'utf8')).toBe(`${g.folder}/a.ts\n`),
    ],
    [
      'a logger with a pipeline and no matcher',
      (g) => ({
        PreToolUse: [
          {
            hooks: [
              { type: 'command', command: `tr -d '\\n' | sed 's/$/\\n/' >> ${join(g.top, 'all.log')}` },
            ],
          },
        ],
      }),
      [bash('ls'), bash('pwd')],
      (_troupe, g) => expect(readFileSync(join(g.top, 'all.log'), 'utf8').trim().split('\n')).toHaveLength(2),
    ],
    [
      'a notifier in the background',
      (g) => on('Stop', '', `(sleep 0.2; echo done > ${join(g.top, 'beep')}) >/dev/null 2>&1 &`),
      [],
      (troupe) => expect(of(troupe, 'hook-ran')).toMatchObject([{ event: 'Stop', effect: 'none' }]),
    ],
    [
      'a linter that tells the model after an edit',
      (g) =>
        on(
          'PostToolUse',
          'Write',
          g.put(
            'lint.sh',
            '#!/usr/bin/env bash\nset -euo pipefail\ncat > /dev/null\necho "a.ts:1 missing semicolon" 1>&2\nexit 2\n',
          ),
        ),
      [['Write', { file_path: '/project/a.ts', content: 'a' }]],
      (troupe) => expect(JSON.stringify(of(troupe, 'tool-ended')[0]?.content)).toContain('missing semicolon'),
    ],
    [
      'a prompt hook that adds the branch as plain text',
      () => on('UserPromptSubmit', '', 'echo "Current branch: topic"'),
      [],
      (troupe) => expect(JSON.stringify(of(troupe, 'user-message'))).toContain('Current branch: topic'),
    ],
    [
      'a check at the end that runs once',
      (g) =>
        on(
          'Stop',
          '',
          `python3 ${g.put('stop.py', 'import json, sys\nd = json.load(sys.stdin)\nif d.get("stop_hook_active"):\n    sys.exit(0)\nprint(json.dumps({"decision": "block", "reason": "Run the tests first."}))\n')}`,
        ),
      [],
      (troupe) => {
        expect(of(troupe, 'hook-ran').map(({ effect }) => effect)).toEqual(['continued', 'none'])
        expect(JSON.stringify(of(troupe, 'user-message'))).toContain('Run the tests first.')
      },
    ],
    [
      'a guard of paths that exits early without reading its input',
      () => on('PreToolUse', 'Write', 'exit 0'),
      [['Write', { file_path: '/project/a.ts', content: 'x'.repeat(300_000) }]],
      (troupe) => expect(of(troupe, 'hook-ran')).toMatchObject([{ effect: 'none', exitCode: 0 }]),
    ],
    [
      'a session start that prints context as JSON, found by the project folder',
      (g) => {
        g.put(
          'project/.claude/hooks/start.sh',
          `#!/bin/sh\nprintf '%s' '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Use pnpm."}}'\n`,
        )
        return on('SessionStart', 'startup|resume', '"$CLAUDE_PROJECT_DIR"/.claude/hooks/start.sh')
      },
      [],
      (troupe) => expect(JSON.stringify(of(troupe, 'user-message'))).toContain('Use pnpm.'),
    ],
    [
      'a message to a chat at the end, with the last text of the transcript',
      (g) =>
        on(
          'Stop',
          'ignored',
          `python3 ${g.put(
            'chat.py',
            `import json, sys
data = json.load(sys.stdin)
lines = [json.loads(line) for line in open(data["transcript_path"])]
said = [l for l in lines if l.get("type") == "assistant" and not l.get("isSidechain")]
texts = [b["text"] for b in said[-1]["message"]["content"] if b["type"] == "text"]
open("${join(g.top, 'chat')}", "a").write("".join(texts) + "\\n")
`,
          )}`,
        ),
      [bash('ls')],
      (_troupe, g) => expect(readFileSync(join(g.top, 'chat'), 'utf8')).toBe('Got: ran ls\n'),
    ],
    [
      'a count of tokens and calls of the transcript after each call',
      (g) =>
        on(
          'PostToolUse',
          '*',
          `python3 ${g.put(
            'count.py',
            `import json, sys
lines = [json.loads(line) for line in open(json.load(sys.stdin)["transcript_path"])]
tokens = sum(l["message"]["usage"]["output_tokens"] for l in lines if l["type"] == "assistant")
calls = [b["name"] for l in lines if l["type"] == "assistant" for b in l["message"]["content"] if b["type"] == "tool_use"]
results = [b["tool_use_id"] for l in lines if l["type"] == "user" for b in l["message"]["content"] if b["type"] == "tool_result"]
open("${join(g.top, 'count')}", "a").write(json.dumps([tokens > 0, calls, len(results), len({l["uuid"] for l in lines}) == len(lines)]) + "\\n")
`,
          )}`,
        ),
      [bash('ls'), bash('pwd')],
      (_troupe, g) =>
        expect(readFileSync(join(g.top, 'count'), 'utf8').trim().split('\n').at(-1)).toBe(
          '[true, ["Bash", "Bash"], 1, true]',
        ),
    ],
    [
      'a program with arguments of its own and no shell',
      () => ({
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              {
                type: 'command',
                command: 'python3',
                args: [
                  '-c',
                  `import sys; open(sys.argv[1], "w").write(sys.argv[2])`,
                  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of hooks
                  '${CLAUDE_PROJECT_DIR}/seen',
                  `it's $HOME; ls`,
                ],
              },
            ],
          },
        ],
      }),
      [bash('ls')],
      (_troupe, g) => expect(readFileSync(join(g.folder, 'seen'), 'utf8')).toBe("it's $HOME; ls"),
    ],
    [
      'a register of sessions that reads one line',
      (g) =>
        on(
          'SessionStart',
          '',
          g.put(
            'register.sh',
            `#!/usr/bin/env bash\nset -euo pipefail\nread -r INPUT\necho "$INPUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["model"], d["source"], len(open(d["transcript_path"]).read()))' > ${join(g.top, 'sessions')}\n`,
          ),
        ),
      [],
      (_troupe, g) => expect(readFileSync(join(g.top, 'sessions'), 'utf8')).toBe('claude-sonnet startup 0\n'),
    ],
    [
      "a check of a subagent's transcript at its end",
      (g) =>
        on(
          'SubagentStop',
          '',
          `python3 -c 'import json,sys; d=json.load(sys.stdin); lines=[json.loads(l) for l in open(d["agent_transcript_path"])]; print(lines[-1]["type"], d["last_assistant_message"] == lines[-1]["message"]["content"][0]["text"], file=open("${join(g.top, 'sub')}", "w"))'`,
        ),
      [agentCall('one')],
      (_troupe, g) => expect(readFileSync(join(g.top, 'sub'), 'utf8')).toBe('assistant True\n'),
    ],
  ]
  test.each(scripts)('%s', async (_name, hook, calls, check) => {
    const g = ground()
    g.user(hook(g))
    const troupe = createdFor(calls)
    check(await run(g, calls, troupe), g)
  })
})

/** Without calls the main agent answers at once. */
function createdFor(calls: readonly Call[]): Partial<TestOptions> {
  return {
    ...(calls.length === 0 ? { script: script([echo], echo) } : {}),
  }
}

test('an address gets only those variables in its headers that the hook names', async () => {
  const g = ground()
  const received: unknown[] = []
  const server = createServer((request, response) => {
    received.push([request.headers['authorization'], request.headers['x-home'], request.headers['x-price']])
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable in a header
  const headers = { Authorization: 'Bearer $PATH', 'X-Home': 'is ${HOME}', 'X-Price': '5 $' }
  g.user({ PreToolUse: [{ hooks: [{ type: 'http', url, headers, allowedEnvVars: ['PATH'] }] }] })
  await run(g, [bash('ls')])
  expect(received).toEqual([[`Bearer ${process.env['PATH']}`, 'is', '5 $']])
})

test('the transcript of a resumed conversation is whole, without lines twice', async () => {
  const g = ground()
  g.user(on('Stop', '', g.logger))
  await run(g, [bash('ls')], {
    during: async (one, id) => {
      await one.runtime.settled(id)
      await one.say(id, 'More')
    },
  })
  const [first, second] = g.logged()
  expect(first?.['transcript_path']).toBe(second?.['transcript_path'])
  const lines = readFileSync(String(second?.['transcript_path']), 'utf8').trim().split('\n')
  const read = lines.map((line) => JSON.parse(line))
  expect(read.map(({ type, message }) => `${type}: ${message.content[0].type}`)).toEqual([
    'user: text',
    'assistant: tool_use',
    'user: tool_result',
    'assistant: text',
    'user: text',
    'assistant: text',
  ])
})
