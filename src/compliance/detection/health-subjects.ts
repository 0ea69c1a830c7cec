// The words for whom a statement about health is about: somebody in particular, people close to the writer, or nobody.
import { verbose } from "./verbose.ts";

/** Words for somebody in particular, in lower case. */
export const SOMEBODY = new RegExp(verbose`
	\bpatient(?:['’]s|_\w{2,8})?\b
	|\bpt\b
	|\bhe\b
	|\bshe\b
	|\bhis\b
	|\bher\b
	|\bhim\b
	|\bmy (?:
		mother|father|mom|mum|dad|wife|husband|son|daughter|brother|sister|partner|child|kid|baby|grand\w{2,8}|friend|boss
		|colleague|coworker|client|patient|doctor|therapist|last|recent
	)
	|\bi(?:'ve| have| was| am|'m| take| took| got)\b
	|\bmy \w{2,12} (?:is|was|came)
	|\bemployee\b
	|\bresident\b
	|\bclient\b
	|\bmember\b
	|\b\d{1,3}[ -]?(?:yo|y\/o|year[- ]olds?|years old|yr old|jährige)
	|\b(?:mr|mrs|ms|miss|mx|dr)\b\.?
	|\bbed \d
	|\bward \d
	|\bclaimant\b
	|\bstudent\b
	|\bapplicant\b
	|\bpatientin\b
	|\bpatienten\b
	|\bpaciente\b
	|\bpatiente\b
	|\bpaziente\b
	|\bpacjent(?:ka|ki|a)?\b
	|\bpatiënte?\b
	|\bversicherte[rn]?\b
	|\bmitarbeiter(?:in)?\b
	|\b(?:herrn?|frau|mme|sra?|señora?|sig|signora?|dhr|mevr|pani?)\b
	|\b(?:meine?|unsere?|mi|mon|ma|mio|mia|meu|minha|mijn|moja|mój|onze|notre|nuestr[oa]) (?:
		mutter|vater|frau|mann|sohn|tochter|bruder|schwester|chef|madre|padre|hij[oa]|espos[ao]|mujer|marido|herman[oa]
		|mère|père|femme|mari|fils|fille|frère|sœur|moglie|marito|figli[oa]|mãe|pai|filh[oa]|moeder|vader|vrouw|man|zoon
		|dochter|żona|mąż|syn|córka|mama|matka|tata
	)\b
	|\bich (?:habe|leide|bin|nehme)\b
	|\bj['’]ai\b
	|\bje (?:suis|souffre|prends)\b
	|\b(?:tengo|padezco|tomo|soffro|prendo|tenho|choruję|biorę)\b
	|\bik (?:heb|gebruik|slik)\b
	|\bdob\b
	|\bmrn\b
	|(?:john|jane) doe
`);

/** People of the writer, in lower case: family, friends, colleagues, clients. */
export const OWN_PEOPLE = new RegExp(
	verbose`
		(?<!\p{L})(?:
			(?:my|our|his|her) (?:[\w-]{2,12} ){0,2}(?:
				mother|father|m[ou]m|dad|parents?|wife|husband|spouse|son|daughter|brother|sister|sibling|twin|partner|child
				|kids?|baby|toddler|aunt|uncle|cousin|niece|nephew|gran\w{0,10}|nan|mother-in-law|father-in-law|girlfriend
				|boyfriend|fianc[eé]e?|ex|friend|neighbou?r|flatmate|roommate|housemate|boss|manager|teammate|colleague|coworker
				|co-worker|hire|intern|employee|assistant|client|customer|tenant|student|teacher|nanny|driver
			)s?\b
			|(?:meine?[nrms]?|unsere?[nrms]?|seine?[nrms]?|ihre?[nrms]?) (?:\p{L}{2,16} )?(?:
				mutter|vaters?|mama|papa|frau|mann|sohn|tochter|bruder|schwester|chefin|chef|oma|opa|gro(?:ß|ss)\p{L}{3,8}|tante
				|onkel|nachbar\p{L}{0,2}|kolleg(?:e|en|in)|freund(?:in)?|kind|cousine?|nichte|neffe|schwieger\p{L}{4,7}
				|mitarbeiter(?:in)?|mieter(?:in)?|kund(?:e|in)
			)
			|(?:mon|ma|notre|son|sa) (?:
				mère|père|femme|mari|fils|fille|frère|sœur|soeur|grand-\p{L}{4,5}|tante|oncle|voisine?|collègue|amie?|copine?
				|chef|employée?|beau-\p{L}{4,5}|belle-\p{L}{4,5}|cousine?|enfant|bébé
			)
			|(?:mi|nuestr[oa]|su) (?:
				madre|padre|mamá|papá|hij[oa]|espos[ao]|mujer|marido|herman[oa]|abuel[oa]|tí[oa]|prim[oa]|vecin[oa]|amig[oa]
				|novi[oa]|jef[ea]|compañer[oa]|emplead[oa]|suegr[oa]|sobrin[oa]
			)
			|(?:mio|mia|nostr[oa]|suo|sua) (?:
				madre|padre|mamma|papà|moglie|marito|figli[oa]|fratello|sorella|nonn[oa]|zi[oa]|cugin[oa]|vicin[oa]|amic[oa]
				|collega|suocer[oa]|capo|ragazz[oa]
			)
			|(?:meu|minha|nosso|nossa) (?:
				mãe|pai|esposa|marido|filh[oa]|irmã|irmão|avó|avô|ti[oa]|prim[oa]|vizinh[oa]|amig[oa]|namorad[oa]|chefe|colega
				|sogr[oa]
			)
			|(?:mijn|onze|ons) (?:
				moeder|vader|vrouw|man|zoon|dochter|broer|zus|oma|opa|tante|oom|buur\p{L}{2,5}|collega|vriendin|vriend|kind
				|schoon\p{L}{4,6}|baas
			)
			|(?:min|mitt|vår|vores|mit) (?:
				mamma|pappa|mor|far|fru|kone|mand|man|mann|son|sønn|søn|dotter|datter|bror|syster|søster|mormor|farmor|morfar
				|farfar|granne|nabo|kollega|vän|ven|venn|chef|sjef|barn|sambo
			)
			|(?:moja|mój|mojej|mojego|nasz|nasza) (?:
				mama|matka|ojciec|tata|żona|mąż|syn|córka|brat|siostra|babcia|dziadek|koleżanka|kolega|sąsiad(?:ka)?|szef
			)
			|new (?:hire|joiner) |i(?:['’](?:ve|m|d))? (?:was|had|have|am|got|take|took|attempted|underwent|suffer|live with)\b
			|i['’](?:m|ve|d)\b|(?:il|elle) (?:a|est|prend|souffre)\b|(?:er|sie) (?:hat|hatte|leidet|nimmt|bekommt|ist)\b
			|(?:hij|zij|ze) (?:heeft|slikt|is|ligt)\b|(?:han|hon|hun) (?:har|tager|tar|er|är)\b|(?:ich|ik|jag|jeg) \p{L}{2,12}
			|je prends
			|\p{L}{3,12} (?:from|in) (?:
				accounting|sales|hr|finance|marketing|engineering|legal|support|payroll|ops|my team|our team
			)\b
		)
	`,
	"u",
);

/** Both: the sentence is about a person. */
export const KNOWN_PERSON = new RegExp(`${SOMEBODY.source}|${OWN_PEOPLE.source}`, "u");

/** A text about health in general, fiction, software or research. */
export const NOT_ABOUT_SOMEBODY = new RegExp(verbose`
	\bcohort
	|meta-analys
	|prevalence
	|\bincidence
	|epidemiolog
	|randomi[sz]ed
	|placebo
	|leaflet
	|brochure
	|guideline
	|fictional
	|hypothetical
	|role-?play
	|patient (?:education|portal|app\b|record system|journey|management)
	|worldwide
	|\btrials? (?:of|with|show)
	|\bin (?:the|this|our) (?:trial|study)
	|patient zero
	|explain (?:to|how|what|why)
	|how (?:do|does|can|should|would) (?:i|we|you|one|doctors|nurses) (?:\w{1,12} ){0,2}(?:
		treat|manag(?!er)|diagnos|prescri|assess
	)
	|wie (?:behandelt|behandle|erkennt) man
	|\b(?:
		paper|thesis|lecture|talk|report|reading|research\w{0,3}|article|book|show|film|question|frage|pregunta|domanda
		|pytanie
	) (?:on|about|zu|über|sobre|su|o)\b
	|im allgemeinen
	|en général
	|en general
	|in generale
	|zodiac
	|brush ?stroke
	|stroke of
	|favou?rite
	|migrat(?:e|ion|ing)\b
	|blog post
	|awareness
	|great depression
	|strokes? (?:over|under|behind|ahead|clear|play)\b
	|colou?rs? (?:\w{2,8} ){0,2}bleed
	|adrenaline (?:junk|rush)
	|\bnovel\b
	|fiction
	|in general
	|\bessay\b
	|\barticle\b
	|dataset
	|\bquiz\b
	|\bclassifier\b
	|what (?:is|are) (?:the )?(?:usual|common|typical|symptoms|signs|causes)
	|(?:cancer|stroke|diabetes|depression|tumou?r|seizure|dialysis|asthma|migraine|epilepsy|dementia|burnout|insulin|pacemaker|allergy|autism|adhd|covid|hiv|pregnancy|malaria|sepsis)[ -](?:
		research|detect|predict|prevent|prävention|classif|models?\b|data|foundation|charit|apps?\b|tools?\b|schedul
		|unit\b|software|landing|platform|campaign|books?\b|market|conference|website|startup
	)
	|manufacturer
	|\bsupplier\b
	|\bvendors?\b
	|social construct
	|\bauthors?\b
	|\bargues?\b
	|\b(?:deaf|blind) to (?!the left)
	|(?:attack|stroke|aneurysm|seizure) (?:reading|watching|looking)
	|: ?string\b
	|"string"
	|string\[\]
	|\bselect (?:\*|\w{1,20}) from\b
	|\bcreate table\b
	|\benum \w
	|\binterface \w{2,20} ?\{
	|short story
	|(?:write|tell|continue) (?:me )?(?:a|the|this) (?:story|scene|fairy)
	|\bin chapter
	|\bprotagonist
	|\bcharacters?\b
	|screenplay
	|\bplot\b
	|\bstarring\b
	|\bsitcom
`);
