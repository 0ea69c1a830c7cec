// The patterns of clinical evidence: people, general statements, what only patients have. Patterns only.
import { verbose } from "./verbose.ts";

/** Words of a clinic: beside them a term of medicine is somebody's. */
export const CLINIC = new RegExp(
	verbose`
	(?<!\p{L})(?:
		patient(?:in|en)?|pt|pa[cz]ient[ei]|pacjent(?:ka)?|patiënte?|dx|diagnos(?:ed|is|es|tiziert|e|i|tica\p{L}{1,5})|diagnóstico|rozpoznanie
		|prescribed|admitted|treated|suffer(?:s|ing)|hx|underwent|hospitali[sz]ed|referral|behandelt|erkrankt|suivie?|souffre|atteinte?
		|c/o|h/o|o/e|discharge|complain(?:s|ed|ing)|padece|sufre|tratamiento|ricoverat[oa]|affett[oa]|internad[oa]|opgenomen|lec[zn]\p{L}{1,4}
	)(?!\p{L})
`,
	"u",
);

/** Statements about nobody in particular: groups of people, definitions, fiction, research, software. */
export const GENERAL_STATEMENT = new RegExp(verbose`
	\b(?:
		patients|people|persons|adults|children|women|men|babies|infants|users|individuals|those|anyone|someone|somebody
		|everyone|nobody|customers|employees|students|doctors|nurses|clinicians|researchers|scientists|personas?|users
		|mice|rats|menschen|leute|kinder|frauen|männer|patienten|enfants|gens|femmes|hommes|personas|niños|mujeres|persone
		|bambini|pessoas|crianças|mensen|kinderen
	) (?:with|who|that|have|suffering|living|affected|taking|on|under|mit|die|avec|qui|con|que|che|com|met)\b
	|\b(?:
		causes?|symptoms?|signs?|treatments?|types?|stages?|risk factors?|prevention|epidemiology|definition|mechanism
		|management|overview|pathophysiology|effects|benefits|risks|costs?|price|difference
	) (?:of|for|between|in)\b
	|\bwhat causes\b
	|\b(?:presidency|legacy|biograph(?:y|ies)|century|emperors?|composers?|painters?)\b
	|\b(?:is|are) (?:an? |the )(?:\w{3,12} ){0,2}(?:
		disease|disorder|condition|syndrome|infection|allergy
	)s? (?:of|that|which|in|caused|where)
	|\b\w{4,14}-sized\b
	|\bheadaches? (?:for|of)\b
	|\bpain points?\b
	|^\W{0,3}(?:\w{2,8},? ){0,2}what (?:is|are|does|do|was|were|causes?|happens (?:if|when) (?:a|you|someone))\b
	|^\W{0,3}(?:\w{2,8},? ){0,2}(?:how|why) (?:
		do|does|is|are|was|were|long|common|many|much|dangerous
	) (?!(?:i|my|she|he|her|his|we)\b)
	|\bexplain\b(?! (?:to|that|this))
	|^\W{0,3}(?:(?:please|can you|could you) )?(?:
		describe|summari[sz]e|compare|define|list|name|discuss|outline
	)\b (?!(?:it|him|her|my|his|:))
	|\b(?:
		essay|articles?|blog|quiz|poem|song|novel|fiction\w{0,2}|film|movie|tv|series|podcast|flyer|poster|newsletter
		|brochure|leaflet|campaign|awareness|guidelines?|textbook|lecture|seminar|curriculum|exam|thesis|dissertation
		|documentary|scene|protagonist|characters?|metaphor\w{0,5}|zodiac|startup|dataset|cohort|prevalence|incidence
		|trial|trials|charity|fundrais\w{2,4}|reference range|normal range|simulat\w{1,5}|unit tests?|schema|endpoint
		|parser|classifier|regression|dashboard|repository|compiler|deploy\w{0,5}|software|server|codebase|code base
	)\b
	|\b(?:
		was ist|was sind|wie (?:wirkt|funktioniert|lange|viele)|welche|erkläre|qu['’]est-ce|quels? (?:est|sont)
		|quelles? (?:est|sont)|explique[rz]?|qué es|qué son|cuáles son|cómo (?:funciona|se)|cos['’]è|quali sono
		|spiega(?:mi)?|o que é|quais são|wat (?:is|zijn|kost)|leg uit
	)\b
`);

/** Before a term, it always makes it a topic. */
export const ABOUT_PREPOSITION =
	/(?<!\p{L})(?:about|regarding|concerning|über|sobre|whether|that) (?:(?:the|a|an|our|new|rare|childhood|chronic|breast|lung) ){0,2}$/u;

/** A term followed by these is nobody's condition: its research, its ward, its dashboard. */
export const NOT_A_CONDITION = new RegExp(
	verbose`
		^[\p{L}'’-]{2,30}(?: (?:\p{L}{3,12} )?)?(?:
			research|hospital|awareness|charit|cent(?:er|re)s?\b|classif|detect|predict|data|models?\b|app\b|projects?\b
			|dashboard|essay|thesis|articles?\b|ward\b|nurse|specialist|foundation|stud(?:y|ies)\b|quiz|fund|width|colou?r
			|style|registry|website|campaign|chatbot|simulat|in (?:mice|rats|dogs|cats)
		)
	`,
	"iu",
);

/** Works on a topic: papers, courses, products. */
export const WORK_ON_TOPIC = new RegExp(verbose`
	\b(?:
		papers?|books?|talks?|research\w{0,3}|courses?|stud(?:y|ies|ied|ying)|writ(?:es|ing|ten)
		|write(?!
			 (?:
				to|it|(?:\w{1,10} ){0,3}(?:notes?|letters?|e-?mails?|mails?|messages?|complaints?|reply|texts?|sms|card|word)
			)\b
		)
		|wrote|teach(?:es|ing)?|taught|speaks?|spoke|speech|reads?|reading|film\w{0,3}|projects?
		|work(?:s|ing|ed)? (?:on|in|at|as|with)|app|models?|products?|report|reports|presentation|slides|expert
		|speciali[sz]\w{1,4}|funding|donat\w{1,4}|interested|curious|learn\w{0,4}|news|question|fragen?|podcast|cure
		|drugs?|vaccine
	)\b
`);

/** The first person: a term after it is the writer's own. */
export const FIRST_PERSON =
	/\b(?:i(?:['’](?:m|ve|d|ll))?(?!\.)|my|me|mein(?:e[nmrs]?)?|mich|mir|ich|je|mon|ma|mes|mi|mis|yo|io|mio|mia|miei|mie|ho|sono|eu|meu|minha|ik|mijn|estou|tenho|estoy|tengo)\b|\bj['’]/;

/** Animals: their health is not personal data. */
export const ANIMALS = new RegExp(verbose`
	\b(?:
		dogs?|cats?|kittens?|pupp(?:y|ies)|horses?|pon(?:y|ies)|hamsters?|rabbits?|guinea pigs?|parrots?|cows?|goats?
		|sheep|chickens?|vets?|veterinar\w{2,4}|pets?|hund(?:es?|in)?|katzen?|kater|pferde?s?|chiens?|chatte?|cheval
		|perr[oa]s?|gat[oa]s?|caballos?|cane|gatt[oa]|cachorr[oa]|hond|kat|paard
	)\b
`);

/** How much of a medicine somebody takes. */
export const DOSE = /\d ?(?:mg|mcg|µg|ml|iu|units?)(?![\p{L}/])/u;

/** Scores of scales, vital signs, blood groups, refraction and dosing schedules: only patients have them. */
export const PATIENT_ONLY = new RegExp(verbose`
	\b(?:
		phq-?9|gad-?7|mmse|moca|gaf|edss|nihss|barthel|bdi|madrs|ham-?d|braden|epds|gds
	)\b(?: (?:score|index|total))?(?: of| is| was|:)? ?\d{1,3}\b
	|\b[a-z]{5,20}(?: \d{1,4}(?: ?mg)?)?,? [0-2]-[0-2]-[0-2](?:-[0-2])?\b
	|\b(?:od|os|sph|sphere):? [+-]\d{1,2}\.\d{2}\b
	|\bblood (?:group|type):? (?:ab|[abo])\b[ -]?(?:neg|pos|rh|[+-])
	|\bgtpal:? ?\d
	|\bbp:? ?\d{2,3} ?/ ?\d{2,3}\b
	|\bspo2:? ?\d{2,3}
`);

/** People named by a role: the baby, the tenant, the witness; in addition to those of health-subjects.ts. */
export const PEOPLE_BY_ROLE = new RegExp(verbose`
	^\W{0,3}(?:
		wife|husband|hubby|son|daughter|mother|father|brother|sister|nephew|niece|uncle|aunt|partner|colleague|insured
		|claimant|employee|tenant
	)(?:['’]s)? |\b(?:
		(?:the|our|this|that) (?:\w{3,10} )?(?:
			baby|newborn|toddler|infant|boy|girl|kid|child|man|woman|lady|gentleman|guy|tenant|lodger|cleaner|driver
			|passenger|guest|witness|defendant|accused|insured|deceased|victim|trainee|apprentice|candidate|pupil|au pair
		)
		|co-?worker|teammate|flatmate|housemate|roommate|hubby|stepson|stepdaughter|gran(?:dad|dpa|ddad|dma|ny|ny)|mum|mom
		|dad|daddy|auntie|the twins|(?:unser|der|die|das) (?:kleine|junge|bub|baby|kind)|le petit|la petite
		|(?:el|la) (?:niñ[oa]|bebé)|il bambino|la bambina|o bebê|het kind|de baby
	)\b
`);
