/**
 * Words without value for a search: function words of common languages, and words of requests. A word that this list
 * lacks costs only a useless search.
 */

const LISTS = {
  english: `
    a about above after again all also although am among an and another any anything are around as ask at away be became
    because been before being below between both but by came can cannot come could did didn do does doesn doing don done
    down during each either else even every everything few find finds first for found from gave get gets getting give
    given go goes going gone got had has hasn have having he hello help her here hers hey hi happen happens happening handled handles him his how however i if in
    inside instead into is isn it its itself just keep kind know last later least less let lets like little ll long look
    looking looks lot made make makes making many may maybe me mean might mine more most much must my need needs neither
    never new next nice no nor not nothing now of off often ok okay old on once one only onto or other our ours out over
    own per perhaps please possible put quite rather re really right said same say says see seem seems several shall she
    should shouldn show shows simple simply since so some somehow someone something sometimes somewhere soon still such
    sure take tell than thank thanks that the their them then there these they thing things think this those though
    three through to together too toward try trying two under until up upon us use used uses using usually ve very via
    want wants was wasn way we well were what when where whether which while who whole whom whose why will with within
    without won work working works would wouldn wrong yes yet you your yours`,
  german: `
    aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da damit dann das dass dem den
    denn der des deshalb die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines
    er es etwas euch für gib habe haben hallo hat hier hinzu ich ihr im in ins ist ja jede jeder jedes kann kannst kein
    keine können könntest mach machen man mehr mein mich mir mit muss nach nicht noch nur ob oder ohne schon sehr sein
    sich sie sind so soll sollen über um und uns unter vom von vor wann war warum was weil welche wenn werden wie wieder
    wir wird wo zu zum zur zwischen ändere behebe erkläre finde füge prüfe repariere schreib schreibe suche zeig zeige`,
  french: `
    ai au aux avec bonjour ce ces cet cette comme comment dans de des doit dois du elle elles en est et être fait faire
    faut il ils je la le les leur lui ma mais merci mes moi mon ne nos notre nous on ont ou où par pas peux peut plus
    pour pourquoi quand que quel quelle qui sa sans se ses si son sont sur ta te tes toi ton tous tout toute très tu un
    une vos votre vous ajoute ajouter change changer corrige corriger crée créer explique expliquer montre répare
    réparer supprime trouve trouver voudrais plaît`,
  spanish: `
    al algo como con cómo cuando de del desde donde dónde el ella ellos en era eres es esa ese eso esta estas este esto
    está están fue gracias ha hacer hay haz hola la las le les lo los me mi mis muy más necesito no nos o para pero por
    porque puede puedes que qué quiero se ser si sin sobre son su sus también te tiene todo todos tu un una uno unos y
    ya añade arregla arreglar busca cambia cambiar corrige crea crear encuentra explica favor muestra quita`,
  others: `
    ao aos até com da das dos e ele eu foi isso mais mas meu minha muito na nas não nem nos numa obrigado olá os ou pela
    pelo porque quando são sem seu sua também tem um uma você adicione altere corrija encontre mostre
    che chi ciao come con così cosa dei del della delle di dove gli grazie ha il io le lo mia mio nel nella non ogni per
    perché più quale quando questa questo sono su sul tra tutti tutto una uno vorrei aggiungi cambia correggi mostra trova
    aan als bij dan dat deze die dit een en er het hoe ik je maar met mijn naar niet om ook op te van voor waar waarom
    wat wel worden zijn`,
}

export const STOP_WORDS: ReadonlySet<string> = new Set(
  Object.values(LISTS).flatMap((list) => list.trim().split(/\s+/)),
)

/** Verbs of a request at the start of a sentence: "split the file" names no search word, "the split" does. */
export const REQUESTS: ReadonlySet<string> = new Set(
  `add adds allow build change check clean create debug delete describe document ensure examine explain fix handle
  implement improve inspect investigate list mend modify move prepare refactor remove rename repair replace review
  rewrite run set solve split start stop support update write`
    .trim()
    .split(/\s+/),
)

/** Forms of these verbs that never name anything. */
export const REPAIR_FORMS: ReadonlySet<string> = new Set(
  'fix fixed fixes fixing explain explains implement implements implemented improve improves investigate refactor'.split(
    ' ',
  ),
)

/** Words that occur in every folder: searched only if no better word is left. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `app application applications bug bugs class classes code codebase component components data documentation docs error
  errors example examples fail failed failing fails failure feature features file files folder folders function
  functions input issue issues line lines method methods module modules name names number object option options output
  package page pages part parts place places problem problems program project projects repo repository result results
  script scripts software something source string system task test tests testing text tool tools type types user users
  value values variable version
  datei dateien fehler funktion projekt ordner problem programm test tests fichier fichiers erreur fonction projet
  dossier archivo archivos carpeta función proyecto prueba pruebas código`
    .trim()
    .split(/\s+/),
)
