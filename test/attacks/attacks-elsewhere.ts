/** Attacks that need more than a model and a folder: the tests beside the code try them. */
export interface AttackElsewhere {
  readonly attack: string
  /** A sentence. */
  readonly defense: string
  readonly file: string
  /** A part of the test's title. */
  readonly title: string
}

export const elsewhere: readonly AttackElsewhere[] = [
  {
    attack: 'a name that resolves to a private address, also at the second look-up',
    defense: 'A name is resolved once for a connection, and the connection goes to that address.',
    file: 'src/main/adapters/web/fetch-page.integration.test.ts',
    title: 'a name is resolved once for a connection, and again at each redirect',
  },
  {
    attack: 'a redirect to a private address, or to a file',
    defense: 'Each redirect is checked like an address.',
    file: 'src/main/adapters/web/fetch-page.integration.test.ts',
    title: 'a redirect to a private address, or to a file, is refused',
  },
  {
    attack: 'a redirect to another host',
    defense: 'It is named to the model, and needs a permission of its own.',
    file: 'src/main/adapters/web/fetch-page.integration.test.ts',
    title: 'a redirect to another host is named, not followed',
  },
  {
    attack: 'more spellings of private addresses',
    defense: 'Addresses are compared as numbers.',
    file: 'src/main/adapters/web/web-address.test.ts',
    title: 'there are more than sixty spellings',
  },
  {
    attack: 'a page that is small until it is decompressed',
    defense: 'A page ends at 10 MB.',
    file: 'src/main/adapters/web/fetch-page.integration.test.ts',
    title: 'a page over 10 MB ends',
  },
  {
    attack: "an MCP server's command that changed after its approval",
    defense: 'An approval holds for one definition; a changed one waits again.',
    file: 'src/main/adapters/mcp/mcp-servers.integration.test.ts',
    title: 'runs only once the user approved it, and asks again when its entry changed',
  },
  {
    attack: 'an MCP server that reads the keys of the program',
    defense: 'A server gets its own variables only.',
    file: 'src/main/adapters/mcp/mcp-servers.integration.test.ts',
    title: 'a server gets its own variables and none of the program’s',
  },
  {
    attack:
      'instructions, skills, commands, notes and agents of a project that a command, a merge or a link changed',
    defense: 'Agents are told the version that the user has seen last.',
    file: 'src/main/seen-texts.integration.test.ts',
    title:
      'texts that changed are told in their former version until the user has seen them, also in a later run',
  },
  {
    attack: 'settings and texts in a new folder of a trusted one',
    defense: 'What was not there when the user was asked counts once it was approved.',
    file: 'src/main/seen-texts.integration.test.ts',
    title: 'in a folder that is trusted with the one around it, nothing counts at first',
  },
  {
    attack: "a script of the folder that a hook, a server or the status line of the user's own names",
    defense: 'A changed script waits, also one behind a link or in package.json.',
    file: 'src/main/adapters/hooks/approved-scripts.integration.test.ts',
    title:
      "a hook of the user's own waits once the script of the folder that it names has changed, or was made",
  },
  {
    attack: 'a running command whose mount was replaced, or after which a rule came',
    defense: 'The command is stopped, in words.',
    file: 'src/main/adapters/sandbox/sandbox.integration.test.ts',
    title: 'in the background is stopped at once when a kept file is made anew at its number',
  },
  {
    attack: 'a hook that changed after its approval',
    defense: 'A changed hook waits again.',
    file: 'src/main/hooks.integration.test.ts',
    title: "a project's hook runs only after its approval, and a changed one waits again",
  },
  {
    attack:
      "a project's settings with an address of the API, a search path, a program for the key or the status line, or a mode",
    defense: 'These count only in files of the user.',
    file: 'src/main/untrusted-folder.integration.test.ts',
    title: 'except what a project may never do',
  },
  {
    attack: 'a bundle of a remote worker with hostile names, links or settings',
    defense: 'A bundle is received in quarantine and checked, whatever it claims.',
    file: 'src/main/adapters/bundles/hostile-bundles.integration.test.ts',
    title: 'test.each(cases)',
  },
  {
    attack: 'paths of the project in the mouth of an agent in a worktree, and back',
    defense: 'Rules for the project apply to the worktree and to nothing beside it.',
    file: 'src/main/runtime/permissions/worktree-rules.test.ts',
    title: 'with a path of the project apply to the worktree instead',
  },
  {
    attack: "git commands of an agent in a worktree that reach the user's branches",
    defense: 'Only the branch and the folder of the worktree may change.',
    file: 'src/main/runtime/permissions/worktree-git.test.ts',
    title: 'git -C',
  },
  {
    attack: 'a message from another frame of the window',
    defense: "Only the main frame of the program's page may send commands.",
    file: 'src/main/desktop/security/security.test.ts',
    title: 'from no inner frame, even with the program’s page',
  },
  {
    attack: 'a key in the environment that commands inherit',
    defense: 'Keys are read once and removed from the environment.',
    file: 'src/main/environment.test.ts',
    title: 'keys are read and removed from the environment, also for child processes',
  },
  {
    attack: "a model that writes tags of Troupe's own notes",
    defense: 'Tags in text from tools are escaped.',
    file: 'src/main/runtime/notices.test.ts',
    title: 'a tool receives the tag that the model saw escaped',
  },
  {
    attack: 'random hostile command lines in real shells',
    defense: 'What needs no permission changes nothing and shows nothing from outside.',
    file: 'src/main/decide-command.integration.test.ts',
    title: 'allowed commands change nothing and show nothing from outside the folder',
  },
]
