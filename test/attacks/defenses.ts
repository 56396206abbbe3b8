/** The defenses that the attacks try, each as a sentence for docs/security.md. */
export const defenses = {
  'command parts': 'Each part of a command line must be read-only or allowed by a rule.',
  'unclear syntax': 'A command line that Troupe cannot parse, or that two parsers read differently, asks.',
  'risky options': 'A read-only program asks with an option that writes a file or runs a program.',
  'written files': 'A redirect into a file asks, also behind an allowed command.',
  'variables that change what runs': 'A variable assignment that can change what runs asks.',
  'files outside': 'Reading and writing outside the folder asks, after links are resolved.',
  secrets: 'Files that may contain a secret ask before they are read.',
  'protected files': 'Files that decide what runs later ask before every write, in every mode.',
  'data folder': "No agent writes Troupe's own settings, rules and logs, whatever the mode.",
  'the judged file':
    'A file tool opens the file that was judged, or fails: nothing that was planted since then.',
  network: 'Connections and searches of the web ask.',
  'denied commands':
    'A denied command is denied behind other programs too; where that is unclear, the user is asked.',
  'denied files': 'A denied file is denied to every tool and command, also behind a link.',
  'many parts': 'A command line with more than 50 parts asks.',
  'read-only modes':
    'In `plan`, and for read-only agents, only reading is allowed; in `dontAsk` nothing is asked.',
  "a parent's limits":
    'A subagent has at most the mode and the rules of its parent, and only the tools of its definition.',
  worktrees: "An agent in a worktree changes its own folder and branch, and nothing of the project's.",
  trust: 'Nothing of a folder is interpreted, and no command runs in it, before the user trusts it.',
  'settings of a project':
    "A project's settings narrow permissions and never widen them, nor name servers and programs.",
  approval: 'Hooks and MCP servers of a project run once the user has approved them as they are.',
  'public addresses': 'WebFetch fetches http and https pages of the public internet only.',
  'no keys for commands': 'Commands get an environment without keys.',
  "git's settings":
    "Troupe's own calls of git run no program that the settings of a repository name; git commands of a model ask where there is one.",
  'kept files':
    'A command in the sandbox changes no file that decides what runs later or what agents are told, nor one that a rule keeps.',
  "git's folder":
    "A command in the sandbox has a private copy of git's folder, of which Troupe takes over what it checked, and what makes git run a program in a repository that it makes is set aside.",
  'hidden files':
    'A command in the sandbox sees nothing of the home but toolchains, no neighbors of its folder, and no file that a rule keeps from it.',
  'own network':
    'A command in the sandbox reaches servers that its own agent started under the same limits, and hosts that are allowed.',
  'visible text': 'A request shows hidden characters of what it asks about.',
} as const

export type Defense = keyof typeof defenses
