/** Hooks in the form of the scripts that people have. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Call, echo, script } from './runtime/testing/scripts.ts'
import type { TestOptions, TestRuntime } from './runtime/testing/test-runtime.ts'
import { bash, type Ground, ground, of, on, run } from './testing/real-hooks.ts'

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
