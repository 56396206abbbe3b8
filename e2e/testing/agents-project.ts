/** A project with thirty definitions. Six are broken, each in a different way. */

/** The broken definitions, with the line and the text of each problem. */
export const BROKEN: readonly { readonly file: string; readonly line: number; readonly text: string }[] = [
  {
    file: 'colon-in-description.md',
    line: 3,
    text: '---\nname: colon-in-description\ndescription: Use this when: a test fails, and nobody knows why\nmodel: haiku # quick\n---\nFind out why.\n',
  },
  {
    file: 'no-end.md',
    line: 1,
    text: '---\nname: no-end\ndescription: The fence below was forgotten\n\nLook around.\n',
  },
  {
    file: 'unknown-mode.md',
    line: 4,
    text: '---\nname: unknown-mode\ndescription: Asks for a mode that is not there\npermissionMode: yolo\n---\nBe bold.\n',
  },
  {
    file: 'tools-are-a-map.md',
    line: 5,
    text: '---\nname: tools-are-a-map\ndescription: Names its tools in a way nobody reads\ntools:\n  Read: true\n---\nRead.\n',
  },
  {
    file: 'star-for-tools.md',
    line: 4,
    text: '---\nname: star-for-tools\ndescription: Wants every tool there is\ntools: *\n---\nDo it all.\n',
  },
  {
    file: 'posing.md',
    line: 2,
    text: '---\nname: "release-kit:editor"\ndescription: Poses as the agent of a plugin\n---\nEdit.\n',
  },
]

export const REVIEWER = `---
# The one that the team knows.
name: security-reviewer
description: Reviews changes for leaks of secrets.   # the main agent reads this
tools: [Read, "Grep" , Glob]
disallowedTools: Write, Edit
x-team:   {owner: ada,   since: 020}
model: opus
---

# How to review

Start from \`git diff\`.
---
- The file and the line.
`

/** Lacks one tool, because of its deny list alone. */
const NO_COMMANDS = `---
name: no-commands
description: Looks into what is written, and runs nothing.
disallowedTools: Bash
---
Say what is written there.
`

/** Paths below the project. */
export function agentsProject(): Readonly<Record<string, string>> {
  const files: Record<string, string> = { 'README.md': '# Shop\n' }
  for (const { file, text } of BROKEN) files[`.claude/agents/${file}`] = text
  files['.claude/agents/security-reviewer.md'] = REVIEWER
  files['.claude/agents/no-commands.md'] = NO_COMMANDS
  for (let index = 1; index <= 22; index++) {
    const name = `helper-${String(index).padStart(2, '0')}`
    const folder = index % 5 === 0 ? 'more/' : ''
    files[`.claude/agents/${folder}${name}.md`] =
      `---\nname: ${name}\ndescription: Looks after part ${index} of the shop.\ntools: Read, Glob, Grep\n---\nLook after part ${index}.\n`
  }
  return files
}
